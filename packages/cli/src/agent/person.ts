import { once } from 'node:events';
import type { Approver } from '@synapse/hands';
import { firstApprover } from '@synapse/hands/internal';
import type { TypedLines } from '../approval/line-reader.ts';
import type { ScreenSize } from '../approval/question-screen.ts';
import { terminalApprover } from '../approval/terminal-approver.ts';
import { askedFrom } from '../branch/asked-from.ts';
import type { CommandIo } from '../command/command.ts';
import { consoleApprover } from '../hands/open-hands.ts';
import { sizeOf } from '../output/output.ts';
import type { LiveScreen } from '../screen/live-screen.ts';
import type { RunOptions } from './agent-place.ts';

/** The terminal that asks a person. */
export interface PersonIo extends Pick<CommandIo, 'stdin' | 'err'> {
  /** The reader of stdin, if it is already being read. */
  readonly lines?: TypedLines;
  readonly screen: LiveScreen | undefined;
}

/** Leaves the answer to the other machine or another device if no console is open here. */
function orElsewhere(approver: Approver): Approver {
  return {
    ...approver,
    async ask(request, signal) {
      const answer = await approver.ask(request, signal);
      if (answer.verdict === 'later' && !signal.aborted) await once(signal, 'abort');
      return answer;
    },
  };
}

/** Asks while nothing else is painted. */
function besidesScreen(approver: Approver, screen: LiveScreen | undefined): Approver {
  if (screen === undefined) return approver;
  const fill = approver.fill?.bind(approver);
  return {
    name: approver.name,
    ask: (request, signal) => screen.paused(() => approver.ask(request, signal)),
    ...(fill === undefined ? {} : { fill: (form, signal) => screen.paused(() => fill(form, signal)) }),
  };
}

/** The person who started a run, at the terminal and in an open console. */
export function personOf({ json, jsonl, remote }: RunOptions, { stdin, err, lines, screen }: PersonIo, root: () => string): Approver {
  const atConsole = consoleApprover(askedFrom('synapse run'), root);
  const size = (): ScreenSize => sizeOf(process.stderr);
  if (stdin.isTTY && err.isTerminal && !json && !jsonl)
    return firstApprover([besidesScreen(terminalApprover({ stdin, err, size, lines }), screen), atConsole]);
  return remote === undefined ? atConsole : orElsewhere(atConsole);
}
