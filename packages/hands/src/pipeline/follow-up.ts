import { type CallMeta, type CallResult, type CallSuccess, type ContentBlock, errorText } from '@synapse/protocol';
import { type CallOptions, contentText } from '../call/call.ts';
import { nestedOptions, type OuterCall } from './nested-options.ts';
import { jsonCharacters } from './shape.ts';

/** What the first answer leaves of a reader's room. */
function roomAfter({ output, content }: CallSuccess, { readerLimits }: CallOptions): Pick<CallOptions, 'readerLimits'> {
  if (readerLimits === undefined) return {};
  const { outputBytes, jsonCharacters: characters, ...lines } = readerLimits;
  return {
    readerLimits: {
      ...lines,
      ...(outputBytes === undefined ? {} : { outputBytes: Math.max(1, outputBytes - Buffer.byteLength(output)) }),
      ...(characters === undefined ? {} : { jsonCharacters: Math.max(1, characters - jsonCharacters(content)) }),
    },
  };
}

const note = (text: string): ContentBlock => ({ type: 'note', text: `[${text}]` });

/** The answer of a command. Its first line tells how it ended, which an edit never does; without one, a word divides the answers. */
function followed(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content[0]?.type === 'note' && content[0].text.startsWith('[') ? content : [note('then:'), ...content];
}

/** What both calls came to: the outcome of a command is that of the second. */
function metaOf(first: CallMeta, second: CallResult): CallMeta {
  const { sandbox, ran, truncation, pending, completion } = second.meta;
  return {
    ...first,
    durationMs: first.durationMs + second.meta.durationMs,
    completion: second.ok ? completion : 'failed',
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(ran === undefined ? {} : { ran }),
    ...(truncation === undefined ? {} : { truncation }),
    ...(pending === undefined ? {} : { pending }),
  };
}

/** Makes the call that follows one that succeeded, and answers with both. The first stays done, whatever comes of the second. */
export async function followUp(call: OuterCall, first: CallSuccess, run: (options: CallOptions) => Promise<CallResult>): Promise<CallResult> {
  if (call.options.dryRun === true) {
    const content = [...first.content, note('The command in "then" is not run in a dry run.')];
    return { ...first, content, output: contentText(content) };
  }
  const second = await run({ ...nestedOptions(call), ...roomAfter(first, call.options) });
  const told = second.ok ? followed(second.content) : [note(`then: failed, and what was done before it stays. ${errorText(second.error)}`)];
  const content = [...first.content, ...told];
  const then = second.ok ? { ok: true, data: second.data } : { ok: false, error: { code: second.error.code, message: second.error.message } };
  const data: unknown = typeof first.data === 'object' && first.data !== null ? { ...first.data, then } : first.data;
  return { ok: true, output: contentText(content), content, data, meta: metaOf(first.meta, second) };
}
