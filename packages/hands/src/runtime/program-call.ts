import { randomUUID } from 'node:crypto';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import type { Approver } from '../approval/approver.ts';
import type { CallOptions, RunningCall } from '../call/call.ts';
import type { Limits } from '../output/limits.ts';
import { nestedOptions } from '../pipeline/nested-options.ts';
import type { CallableTools } from '../pipeline/call-runtime.ts';
import { mayBeCalled, nestedProblem } from '../pipeline/pipeline.ts';
import type { Hands } from './hands.ts';
import type { Runtime } from './runtime.ts';

/** What calls of programs require. */
export interface ProgramParts {
  readonly runtime: Runtime;
  readonly stateFolder: string;
  readonly hands: Pick<Hands, 'branch' | 'createBranch' | 'showBranch' | 'dropBranch' | 'changes' | 'undo'>;
}

/** Limits of answers to a program: what it reads costs a model nothing. */
const PROGRAM_LIMITS: Limits = { outputBytes: 16 * 1024 * 1024, outputLines: 1_000_000, lineCharacters: 1_000_000 };

/** A call of a program. */
export interface ProgramCall {
  readonly name: string;
  readonly input: unknown;
  readonly options: CallOptions;
}

/** A call that a program asks for, with the options of the call of the program. */
export function programCall(call: RunningCall, name: string, input: unknown, signal?: AbortSignal): ProgramCall {
  const {
    onProgress: _,
    onOutput: _output,
    ...options
  } = nestedOptions(call, { limits: PROGRAM_LIMITS, ...(signal === undefined ? {} : { signal }) });
  // A job would have no owner that comes back for it.
  return { name, input, options: { ...options, callId: randomUUID(), foreground: true } };
}

/** The tools as a program finds them: an unknown name is answered with those that it can call. */
export function programTools(registry: CallableTools, options: Pick<CallOptions, 'mayCall'>): CallableTools {
  return {
    find: (name) => registry.find(name),
    get: (name) => registry.get(name, (tool) => tool.nests !== true && mayBeCalled(tool.name, options)),
    waitForTool: (name, signals) => registry.waitForTool(name, signals),
  };
}

/** Why a program may not make a call; undefined if it may. */
export function programProblem({ registry }: Pick<Runtime, 'registry'>, { name, input, options }: ProgramCall): SynapseError | undefined {
  const tool = registry.find(name);
  if (tool?.nests === true) return new SynapseError('denied', `A program cannot call ${name}.`, { hint: 'Call the tools themselves.' });
  const problem = nestedProblem({ registry }, name, input, options);
  // More likely a mistake in a name than a tool that is kept from it.
  return problem?.code === 'unknown_tool' && tool === undefined ? unknownTool(programTools(registry, options), name, problem) : problem;
}

/** What there is to say about a name that no tool has. */
function unknownTool(tools: CallableTools, name: string, otherwise: SynapseError): SynapseError {
  try {
    tools.get(name);
    return otherwise;
  } catch (error) {
    return toSynapseError(error);
  }
}

/** Asks one question at a time, and stops the clock of the call of the program. */
export class QueuedApprover implements Approver {
  readonly name: string;
  readonly #call: Pick<RunningCall, 'suspend'>;
  readonly #approver: Approver;
  #last: Promise<unknown> = Promise.resolve();

  constructor(call: Pick<RunningCall, 'suspend'>, approver: Approver) {
    this.#call = call;
    this.#approver = approver;
    this.name = approver.name;
  }

  ask(...[request, signal, onShown]: Parameters<Approver['ask']>): ReturnType<Approver['ask']> {
    const answer = this.#last.then(async () => {
      using _ = this.#call.suspend();
      signal.throwIfAborted();
      return await this.#approver.ask(request, signal, onShown);
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  fill: NonNullable<Approver['fill']> = async (form, signal) => (await this.#approver.fill?.(form, signal)) ?? { action: 'cancel' };
}
