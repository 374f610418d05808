import { SynapseError, type CallMeta } from '@synapse/protocol';
import type { CommandRoute, CommandWay } from '../policy/command-route.ts';
import type { Processes } from '../process/processes.ts';
import { runAsReader } from '../sandbox/run-as-reader.ts';
import type { BoundCall } from './call.ts';

/** What a result calls each way. */
const RAN: Record<CommandWay, NonNullable<CallMeta['ran']>> = { reader: 'read-only', transaction: 'copy', live: 'live', unconfined: 'unconfined' };

/** The two places in which commands of one call can run. */
export interface CommandPlaces {
  /** The workspace itself: in the sandbox, or where there is none without. */
  readonly plain: Processes;
  /** A copy, of which is applied what passes; undefined where commands cannot run on one. */
  readonly copied: Processes | undefined;
}

/** Runs the commands of a call the way that was decided on, and says which it was. */
export function routedCommands({ decision, facts }: BoundCall, route: CommandRoute, { plain, copied }: CommandPlaces): Processes {
  const inPlace: Processes = {
    run: async (request) => {
      facts.ran = RAN[route.way];
      facts.undo = 'not covered';
      if (route.notice !== undefined) facts.notes.push(route.notice);
      return await plain.run(request);
    },
  };
  const onCopy: Processes = {
    run: async (request) => {
      // It was let through because it runs on a copy: it must never run in the workspace instead.
      if (copied === undefined) throw new SynapseError('unavailable', 'The command cannot run on a copy of the workspace any more. It was not run.');
      facts.ran = RAN.transaction;
      return await copied.run(request);
    },
  };
  const reading: Processes = {
    run: async (request) => {
      facts.ran = RAN.reader;
      return await runAsReader(request, { processes: plain, again: copied !== undefined && decision.mayChange ? onCopy : undefined });
    },
  };
  return { reader: reading, transaction: onCopy, live: inPlace, unconfined: inPlace }[route.way];
}
