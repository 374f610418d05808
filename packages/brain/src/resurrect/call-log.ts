import type { Hands, ToolData, ToolInput } from '@synapse/hands';
import type { ErrorCode } from '@synapse/protocol';
import { semaphore } from './semaphore.ts';
import { fileReadBy, intoFolder, outOfFolder, type Asked } from './scope.ts';

const asked = Symbol('asked of hands');

/** The answer of a call. Only a call log creates it, so it always comes from a real call. */
export interface Answer<Data> {
  readonly [asked]: true;
  readonly ok: true;
  readonly tool: string;
  readonly data: Data;
}

/** A call that failed, or that was skipped because the run had ended. */
export interface NoAnswer {
  readonly [asked]: true;
  readonly ok: false;
  readonly tool: string;
  readonly code: ErrorCode;
  /** What happened, in one sentence. */
  readonly reason: string;
}

/** Calls a tool and records the call. Never throws: a failure is an answer too. */
export type Ask = <Name extends Asked>(tool: Name, input: ToolInput<Name>, options?: AskOptions) => Promise<Answer<ToolData<Name>> | NoAnswer>;

export interface AskOptions {
  /** The step is incomplete without this answer. */
  readonly essential?: boolean;
  /** Asks about the whole repository, even in a run limited to a folder. */
  readonly whole?: boolean;
}

/** The part of a call log that belongs to one step. */
export interface StepLog {
  readonly ask: Ask;
  readonly calls: () => number;
  /** Whether the step got what it needs. */
  readonly complete: () => boolean;
}

/** A record of every call of a run. The attribution is built from it. */
export interface CallLog {
  step(stepId: string): StepLog;
  readonly filesRead: ReadonlySet<string>;
  readonly toolCalls: ReadonlyMap<string, number>;
  /** Failed calls whose target may exist. */
  readonly unseen: readonly NoAnswer[];
}

/** Errors that mean the target does not exist. After any other error it may exist. */
const MEANS_NOTHING_THERE: ReadonlySet<ErrorCode> = new Set(['not_found', 'not_a_repository', 'wrong_type', 'binary_file', 'encoding', 'no_match']);

/** Limits of one answer. A program parses it, and a manifest cut in the middle cannot be parsed. */
const PROGRAM_LIMITS = { outputBytes: 512 * 1024, outputLines: 10_000, lineCharacters: 64 * 1024 } as const;

/** Maximum concurrent calls: enough to hide process start-up, few enough not to compete for the disk. */
const CALLS_AT_ONCE = 6;

/** Opens a call log on hands. */
export function openCallLog(
  hands: Pick<Hands, 'call'>,
  options: { readonly signal?: AbortSignal | undefined; readonly sessionId?: string | undefined; readonly folder?: string | undefined },
): CallLog {
  const { signal, sessionId, folder = '' } = options;
  const pass = semaphore(CALLS_AT_ONCE);
  const filesRead = new Set<string>();
  const toolCalls = new Map<string, number>();
  const unseen: NoAnswer[] = [];

  async function call<Name extends Asked>(
    tool: Name,
    input: ToolInput<Name>,
    stepId: string,
    inFolder: boolean,
  ): Promise<Answer<ToolData<Name>> | NoAnswer> {
    const failed = (code: ErrorCode, reason: string): NoAnswer => ({ [asked]: true, ok: false, tool, code, reason });
    if (signal?.aborted === true) return failed('cancelled', 'The run was ended before this call.');
    toolCalls.set(tool, (toolCalls.get(tool) ?? 0) + 1);
    // `hands.call` cannot infer types from a type parameter; `Ask` ties input and data to the name.
    const name: string = tool;
    const result = await hands.call(name, inFolder ? intoFolder(tool, input, folder) : input, {
      stepId,
      limits: PROGRAM_LIMITS,
      ...(signal === undefined ? {} : { signal }),
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    if (!result.ok) return failed(result.error.code, result.error.message);
    const file = fileReadBy(tool, input);
    if (file !== undefined) filesRead.add(file);
    const data = result.data as ToolData<Name>;
    return { [asked]: true, ok: true, tool, data: inFolder ? outOfFolder(tool, data, folder) : data };
  }

  return {
    filesRead,
    toolCalls,
    unseen,
    step(stepId) {
      let calls = 0;
      let complete = true;
      return {
        calls: () => calls,
        complete: () => complete && signal?.aborted !== true,
        ask: async (tool, input, { essential = false, whole = false } = {}) => {
          const answer = await pass(() => {
            if (signal?.aborted !== true) calls += 1;
            return call(tool, input, stepId, folder !== '' && !whole);
          });
          if (!answer.ok && !MEANS_NOTHING_THERE.has(answer.code)) {
            unseen.push(answer);
            if (essential) complete = false;
          }
          return answer;
        },
      };
    },
  };
}
