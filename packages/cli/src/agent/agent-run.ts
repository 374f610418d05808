import type { AgentResult, AgentSession, Compacted, RunAgentOptions, TaskContent, TodoList } from '@synapse/brain';
import type { Approver, Hands } from '@synapse/hands';
import type { CommandIo } from '../command/command.ts';
import type { Attached } from './attach-files.ts';

/** Hands, a model and a session, ready for tasks. */
export interface AgentRun extends AsyncDisposable {
  /** @throws SynapseError `unavailable` if the calls run on another machine */
  readonly hands: Hands;
  readonly session: AgentSession;
  readonly todos: TodoList;
  /** Where the run is shown, and what else writes there. */
  readonly io: Pick<CommandIo, 'out' | 'err'>;
  /** The model as it was named. */
  readonly model: string;
  /** Works on a task. Without a task, continues the session. */
  work(task: string | TaskContent | undefined, signal: AbortSignal, takeMessages?: RunAgentOptions['takeMessages']): Promise<AgentResult>;
  /**
   * Reads the files that a message names.
   *
   * @throws SynapseError with the reason for a file that may not be read
   */
  attach(text: string, signal: AbortSignal, more?: readonly string[]): Promise<Attached>;
  /**
   * Runs a call by its canonical name, outside of a turn.
   *
   * @param asked who is asked. Default: the person of the run
   */
  call(name: string, input: unknown, signal: AbortSignal, asked?: Approver): ReturnType<Hands['call']>;
  /**
   * Continues with another model. Returns the options that were given for the one before, and still hold.
   *
   * @throws SynapseError `invalid_arguments` if a maximum cost counts with the price of the one before
   */
  changeModel(name: string): Promise<readonly string[]>;
  /** Replaces the conversation by a summary. */
  compact(focus: string | undefined, signal: AbortSignal): Promise<Compacted>;
  /** Begins a new session. Returns the id of the one before, if there was one. */
  clear(): string | undefined;
}
