import { type CallResult, isSynapseError, SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { effectLine } from '../dry-run/effect-line.ts';
import { asData, originsOf } from '../output/data-mark.ts';
import { missingName } from '../program/missing-name.ts';
import type { Answer, Asked, ProgramError } from '../program/messages.ts';
import { programThreads } from '../program/program-threads.ts';
import type { RanProgram } from '../program/run-program.ts';
import { count } from '../text/amounts.ts';
import type { CallsAsOne, FinishedCalls, ProgramCalls } from '../tool/tool-context.ts';
import { defineTool } from '../tool/tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_CODE = 256 * 1024;
/** Maximum number of origins that a mark names. */
const MAX_ORIGINS = 10;
/** Maximum number of characters of what a program had printed that an error repeats. */
const MAX_LAST_WORDS = 2_000;
/** Limits of what the program prints and returns, in bytes: it is asked to return what matters. */
const OUTPUT_BYTES = 16_384;

type Data = z.output<ReturnType<typeof outputSchema>>;

const outputSchema = () =>
  z.strictObject({
    /** What it returned, as data; null for nothing. */
    returned: z.unknown(),
    /** What it printed and returned, as far as it is shown. */
    output: z.string(),
    error: z.strictObject({ name: z.string(), message: z.string(), line: z.int().optional() }).nullable(),
    calls: z.int(),
    /** What became of its changes, and how many there are. */
    changes: z.enum(['none', 'applied', 'waiting', 'dropped', 'tried']),
    changed: z.int(),
  });

export const runProgramTool = defineTool({
  name: 'run_program',
  title: 'Program',
  description:
    'Run a JavaScript or TypeScript program over the other tools: many or dependent steps in one call. Its changes are applied together at its end, or not at all if it fails.',
  effects: 'exec',
  nests: true,
  prepare: () => programThreads.prepare(),
  input: () =>
    z.strictObject({
      code: z
        .string()
        .max(MAX_CODE)
        .refine((text) => text.trim() !== '', 'must not be empty')
        .describe(
          'Body of an async function: `const { content } = await hands.read_file({ path })`, and so on. Tools throw if they fail; await hands.help("NAME") tells their types. What it returns and prints is the answer',
        ),
      timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
    }),
  output: outputSchema,
  aliases: { fields: { program: 'code', script: 'code', source: 'code', javascript: 'code', typescript: 'code', timeout: 'timeout_ms' } },
  otherNames: ['code_mode', 'execute_code', 'run_code', 'exec_js', 'run_javascript', 'javascript', 'execute_program', 'codemode', 'run_script'],
  permission: () => [],
  timeoutMs: ({ timeout_ms: milliseconds }) => milliseconds,
  keep: 'ends',
  limits: { outputBytes: OUTPUT_BYTES },
  summarize: (_, { error, calls, changed }) =>
    `run_program → ${error === null ? 'ok' : error.name}, ${count(calls, 'call')}${changed === 0 ? '' : `, ${count(changed, 'change')}`}`,
  completion: ({ error }) => (error === null ? 'ok' : 'failed'),
  async execute({ code }, ctx) {
    // Few sessions run programs.
    const { runProgram } = await import('../program/run-program.ts');
    // As a terminal shows it: files may hold escape sequences.
    using output = ctx.collectOutput({ terminal: true });
    /** Where texts that it got are from, other than the workspace. */
    const origins = new Set<string>();
    const failed: FailedCall[] = [];
    await using together = ctx.program.begin();
    let ran: RanProgram;
    try {
      ran = await runProgram(code, {
        signal: ctx.signal,
        print: (text) => output.writeText(`${text}\n`),
        call: async (asked, name, input, signal) => await ANSWERS[asked]({ program: ctx.program, together, name, input, signal, origins, failed }),
      });
    } catch (error) {
      throw withLeft(error, { printed: origins.size === 0 ? output.finish('ends').text : '', beyond: together.beyond });
    }
    output.writeText(ran.ok ? shownValue(ran.json) : shownError(ran.error));
    const { text, truncation } = output.finish('ends');
    const { told, ...changes } = ran.ok ? await finished(together, ctx.signal) : FAILED;
    const returned: unknown = ran.ok && ran.json !== undefined ? JSON.parse(ran.json) : null;
    // Often a mistake: a last line without return, or a field that the data does not have.
    const isSilent = ran.ok && ran.json === undefined && text === '' && changes.changes === 'none';
    const data: Data = { returned, output: text, error: ran.ok ? null : ran.error, calls: ran.calls, ...changes };
    return {
      data,
      // What it makes of the text of a page may still be that text.
      content: origins.size === 0 ? text : asData([{ type: 'text', text }], [...origins].slice(0, MAX_ORIGINS).join(', ')),
      note: [
        count(ran.calls, 'call'),
        ...(ran.ok ? toldFailed(failed) : []),
        told,
        ...toldBeyond(together.beyond),
        ...(isSilent ? ['it returned undefined and printed nothing'] : []),
      ].join('; '),
      ...(truncation === undefined ? {} : { truncation }),
    };
  },
});

/** What a program that did not end has left. */
interface Left {
  readonly printed: string;
  readonly beyond: CallsAsOne['beyond'];
}

/** Applies what a program changed. A caller that cancels it then learns what is true of the workspace. */
async function finished(together: CallsAsOne, signal: AbortSignal): Promise<Outcome> {
  let done: Outcome;
  try {
    done = outcome(await together.finish());
  } catch (error) {
    throw withLeft(error, { printed: '', beyond: together.beyond });
  }
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  if (!isSynapseError(reason) || reason.code !== 'cancelled') return done;
  const hint = [`It had ended by then: ${done.told}.`, ...toldBeyond(together.beyond).map(asSentence)].join('\n');
  throw new SynapseError('cancelled', reason.message, { hint, cause: reason });
}

/** What is true of the workspace then. Its changes are dropped, or taken back: what fails in that is an error of its own. */
const ENDED: Readonly<Record<string, readonly string[]>> = {
  timeout: ['The workspace is unchanged. Give the program less to do, or a greater timeout_ms.'],
  cancelled: ['The workspace is unchanged.'],
};

/** The end of a program from outside, with what became of what it did. A time-out with what it had printed, too: that shows how far it came. */
function withLeft(error: unknown, { printed, beyond }: Left): unknown {
  if (!isSynapseError(error)) return error;
  const said = error.code === 'timeout' && printed !== '' ? [`It had printed:\n${printed.slice(-MAX_LAST_WORDS).toWellFormed().trimEnd()}`] : [];
  const hints = [...(ENDED[error.code] ?? []), ...toldBeyond(beyond).map(asSentence), ...said];
  return hints.length === 0 ? error : new SynapseError(error.code, error.message, { hint: hints.join('\n'), cause: error });
}

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Maximum number of tools of servers that an answer names. */
const MAX_BEYOND = 5;

function toldBeyond(beyond: CallsAsOne['beyond']): string[] {
  if (beyond.size === 0) return [];
  const named = [...beyond].slice(0, MAX_BEYOND).map(([tool, calls]) => (calls === 1 ? tool : `${tool} (${count(calls, 'call')})`));
  return [
    `what it did outside of the workspace stays: ${named.join(', ')}${beyond.size > MAX_BEYOND ? `, and ${beyond.size - MAX_BEYOND} more tools` : ''}`,
  ];
}

const FAILED: Outcome = { changes: 'none', changed: 0, told: 'the program failed, so the workspace is unchanged' };

/** What a program returned, for a model: a text as it is, anything else as JSON. */
function shownValue(json: string | undefined): string {
  if (json === undefined) return '';
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
}

/** An error with its line, before what a tool advises. */
function shownError({ name, message, line }: ProgramError): string {
  const [first = '', ...said] = message.split('\n');
  const instead = missingName(name, first);
  const advice = instead === undefined ? said : [...said, instead];
  return [`${name}: ${first}${line === undefined ? '' : ` (line ${line})`}`, ...advice].join('\n');
}

/** A call of a program, and what answers it. */
interface ProgramCall {
  readonly program: ProgramCalls;
  readonly together: CallsAsOne;
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** Gets the origins of the answer. */
  readonly origins: Set<string>;
  /** Gets the call if it fails. */
  readonly failed: FailedCall[];
}

interface FailedCall {
  readonly name: string;
  readonly message: string;
}

/** Maximum number of characters of the error of a call that a note repeats. */
const MAX_FAILED = 200;

/**
 * Calls that failed in a program that did not. It may have expected that, or never waited for the function that made them. Without the words of
 * others: cut off, they would lose their end mark.
 */
function toldFailed(failed: readonly FailedCall[]): string[] {
  const [first] = failed;
  if (first === undefined) return [];
  const [said = ''] = first.message.split(/\n|(?: failed: )?\[Data \S+ from /u, 1);
  const what = said.startsWith(first.name) ? said : `${first.name}: ${said}`;
  return [`${failed.length} failed${failed.length === 1 ? '' : ', the first'}: ${what.slice(0, MAX_FAILED).toWellFormed().replace(/\.$/u, '')}`];
}

const ANSWERS: Record<Asked, (call: ProgramCall) => Promise<Answer>> = {
  tool: async ({ together, name, input, signal, origins, failed }) => {
    const result = await together.call(name, input, signal);
    if (result.ok) for (const origin of originsOf(result.content)) origins.add(origin);
    if (!result.ok) failed.push({ name, message: result.error.message });
    return answerOf(result);
  },
  help: async ({ program, name }) => ({ data: program.describe(name) }),
};

function answerOf(result: CallResult): Answer {
  if (result.ok) return { data: result.data };
  const { code, message, hint } = result.error;
  return { error: { code, message, hint } };
}

/** What became of the changes, for programs and for a model. */
interface Outcome extends Pick<Data, 'changes' | 'changed'> {
  readonly told: string;
}

function outcome(finished: FinishedCalls): Outcome {
  if (finished.kind === 'unchanged') return { changes: 'none', changed: 0, told: 'the workspace is unchanged' };
  if (finished.kind === 'dropped') {
    return { changes: 'dropped', changed: 0, told: `the workspace is unchanged: what it changed was dropped, as ${finished.why}` };
  }
  if (finished.kind === 'held') {
    const { why, branch } = finished;
    const decide = `The changes wait in a branch; a person decides: synapse branch diff ${branch}, then apply or drop`;
    return { changes: 'waiting', changed: 0, told: `the workspace is unchanged, because ${why}. ${decide}` };
  }
  const { text, changed } = effectLine(finished.effect);
  if (finished.kind === 'tried') return { changes: 'tried', changed, told: 'its changes were tried on a branch, and dropped' };
  if (finished.kind === 'live') return { changes: 'applied', changed, told: `${text}; made one by one, because ${finished.why}` };
  const lost = finished.undo === true ? '' : `; this cannot be undone: ${finished.undo}`;
  return { changes: 'applied', changed, told: `applied: ${text}${lost}` };
}
