import type { AgentRun } from '../agent/agent-run.ts';
import type { CommandIo } from '../command/command.ts';

/** Where a command of the chat writes. Its signal is also aborted by Ctrl-C. */
export type ChatIo = Pick<CommandIo, 'out' | 'err' | 'signal'>;

/** A command of the chat. */
export interface ChatCommand {
  /** Its arguments, for the help. */
  readonly form?: string;
  readonly summary: string;
  /** Returns whether the chat ends. */
  readonly run: (agent: AgentRun, io: ChatIo, rest: string) => Promise<'quit' | void>;
}
