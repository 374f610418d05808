import { type CallError, type CallFailure, type CallSuccess, type ContentBlock, SynapseError } from '@synapse/protocol';
import { count } from '../text/amounts.ts';
import { displayText } from '../workspace/byte-name.ts';
import type { Limits } from '../output/limits.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { DelegatedCall } from '../tool/tool.ts';
import { fairShares } from './fair-shares.ts';

/** The text of one file that a call showed. */
interface ShownText {
  readonly content: string;
  readonly first_line: number;
  readonly last_line: number;
}

interface Asked {
  readonly path: string;
  readonly call: DelegatedCall;
}

/** What came of one file, in the order asked for. */
export interface PathResult<Data extends ShownText> {
  readonly path: string;
  readonly answer: (Omit<CallSuccess, 'data'> & { readonly data: Data }) | CallFailure;
}

const linesIn = ({ first_line: first, last_line: last }: ShownText): number => (first === 0 ? 0 : Math.abs(last - first) + 1);

/** Reads several files, each by a call of its own: a file that is missing or not permitted does not keep the others from being read. */
export async function readPaths<Data extends ShownText>(
  asked: readonly Asked[],
  { call, limits }: Pick<ToolContext, 'call' | 'limits'>,
  parse: (data: unknown) => Data,
): Promise<ReadonlyArray<PathResult<Data>>> {
  const read = async ({ path, call: { tool, input } }: Asked, own: Partial<Limits>): Promise<PathResult<Data>> => {
    const answer = await call(tool, input, { limits: { ...limits, ...own } });
    return { path, answer: answer.ok ? { ...answer, data: parse(answer.data) } : answer };
  };
  const whole = await Promise.all(asked.map((one) => read(one, {})));
  const texts = whole.map(({ answer }) => (answer.ok && !answer.content.some(({ type }) => type === 'image') ? answer.data : undefined));
  const needs = (of: (text: ShownText) => number): number[] => texts.map((text) => (text === undefined ? 0 : of(text)));
  const bytes = needs(({ content }) => Buffer.byteLength(content));
  const lines = needs(linesIn);
  const [forBytes, forLines] = [fairShares(bytes, limits.outputBytes), fairShares(lines, limits.outputLines)];
  return await Promise.all(
    whole.map(async (one, index) => {
      const [ownBytes = 0, ownLines = 0] = [forBytes[index], forLines[index]];
      const again = asked[index];
      if (again === undefined || ((bytes[index] ?? 0) <= ownBytes && (lines[index] ?? 0) <= ownLines)) return one;
      return await read(again, { outputBytes: Math.max(1, ownBytes), outputLines: Math.max(1, ownLines) });
    }),
  );
}

const sentence = (text: string): string => (/[.!?…]$/u.test(text) ? text : `${text}.`);
const said = ({ message, hint }: CallError): string => (hint === undefined ? message : `${sentence(message)} ${hint}`);

/** The blocks of several files: for each a line with its path and what is shown of it, or why it was not read. */
export function blocksOf<Data extends ShownText>(results: ReadonlyArray<PathResult<Data>>): ContentBlock[] {
  return results.flatMap(({ path, answer }): ContentBlock[] => {
    const name = displayText(path);
    if (!answer.ok) return [{ type: 'note', text: `[${name}: not read. ${said(answer.error)}]` }];
    const notes = answer.content.flatMap((block) => (block.type === 'note' ? [block.text.replace(/^\[|\]$/gu, '')] : []));
    return [{ type: 'note', text: `[${name}: ${notes.join(' ')}]` }, ...answer.content.filter(({ type }) => type !== 'note')];
  });
}

/** Fails if no file was read: then there is nothing to answer. */
export function assertSomeRead<Data extends ShownText>(results: ReadonlyArray<PathResult<Data>>): void {
  const failures = results.flatMap(({ answer }) => (answer.ok ? [] : [answer.error]));
  const [first] = failures;
  if (first === undefined || failures.length < results.length) return;
  throw new SynapseError(
    first.code,
    `None of the ${count(results.length, 'file')} was read. ${failures.map(({ message }) => sentence(message)).join(' ')}`,
    {
      ...(first.hint === undefined ? {} : { hint: first.hint }),
      retryable: failures.every(({ retryable }) => retryable),
    },
  );
}
