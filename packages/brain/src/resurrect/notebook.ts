import type { Hands, ToolData, ToolInput } from '@synapse/hands';
import type { ErrorCode } from '@synapse/protocol';
import { openGate } from './gate.ts';

const asked = Symbol('asked of hands');

/** What a call answered. Only a notebook makes it, from a call that was really made. */
export interface Answer<Data> {
  readonly [asked]: true;
  readonly ok: true;
  readonly tool: string;
  readonly data: Data;
}

/** A call that failed, or that was not made any more because the run was ended. */
export interface NoAnswer {
  readonly [asked]: true;
  readonly ok: false;
  readonly tool: string;
  readonly code: ErrorCode;
  /** What happened, in one sentence. */
  readonly reason: string;
}

/** Tools that answer questions about a project. */
type Asked = 'list_directory' | 'find_files' | 'read_file' | 'search_text' | 'git_status' | 'git_log' | 'git_diff';

/** Asks hands and notes the call. A failure is an answer too: it never throws. */
export type Ask = <Name extends Asked>(tool: Name, input: ToolInput<Name>, options?: AskOptions) => Promise<Answer<ToolData<Name>> | NoAnswer>;

export interface AskOptions {
  /** Without this answer the step has not done its work. */
  readonly essential?: boolean;
}

/** The part of a notebook that belongs to one step. */
export interface Page {
  readonly ask: Ask;
  readonly calls: () => number;
  /** Whether the step got what it needs. */
  readonly complete: () => boolean;
}

/** A record of every call of a run, which the attribution is made of. */
export interface Notebook {
  page(stepId: string): Page;
  readonly filesRead: ReadonlySet<string>;
  readonly toolCalls: ReadonlyMap<string, number>;
  /** Calls that failed to see what may well be there. */
  readonly unseen: readonly NoAnswer[];
}

/** What a failure says about the project: that there is no such thing, or that it was not seen. */
const MEANS_NOTHING_THERE: ReadonlySet<ErrorCode> = new Set(['not_found', 'not_a_repository', 'wrong_type', 'binary_file', 'encoding', 'no_match']);

/** Lines, bytes and characters of one answer: a program reads the value, and a manifest cut in the middle is no manifest. */
const PROGRAM_LIMITS = { outputBytes: 512 * 1024, outputLines: 10_000, lineCharacters: 64 * 1024 } as const;

/** Calls at once: enough to hide the start of processes, few enough not to fight over the disk. */
const CALLS_AT_ONCE = 6;

/** Opens a notebook on hands. */
export function openNotebook(hands: Pick<Hands, 'call'>, options: { signal?: AbortSignal; sessionId?: string }): Notebook {
  const { signal, sessionId } = options;
  const pass = openGate(CALLS_AT_ONCE);
  const filesRead = new Set<string>();
  const toolCalls = new Map<string, number>();
  const unseen: NoAnswer[] = [];

  async function call<Name extends Asked>(tool: Name, input: ToolInput<Name>, stepId: string): Promise<Answer<ToolData<Name>> | NoAnswer> {
    const failed = (code: ErrorCode, reason: string): NoAnswer => ({ [asked]: true, ok: false, tool, code, reason });
    if (signal?.aborted === true) return failed('cancelled', 'The run was ended before this call.');
    toolCalls.set(tool, (toolCalls.get(tool) ?? 0) + 1);
    // The types of a call do not follow a parameter; those of `Ask` tie the input and the data to the name again.
    const name: string = tool;
    const result = await hands.call(name, input, {
      stepId,
      limits: PROGRAM_LIMITS,
      ...(signal === undefined ? {} : { signal }),
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    if (!result.ok) return failed(result.error.code, result.error.message);
    if (tool === 'read_file' && 'path' in input && typeof input.path === 'string') filesRead.add(input.path);
    return { [asked]: true, ok: true, tool, data: result.data as ToolData<Name> };
  }

  return {
    filesRead,
    toolCalls,
    unseen,
    page(stepId) {
      let calls = 0;
      let complete = true;
      return {
        calls: () => calls,
        complete: () => complete && signal?.aborted !== true,
        ask: async (tool, input, { essential = false } = {}) => {
          const answer = await pass(() => {
            if (signal?.aborted !== true) calls += 1;
            return call(tool, input, stepId);
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
