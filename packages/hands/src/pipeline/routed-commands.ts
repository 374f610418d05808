import { SynapseError, type CallMeta } from '@synapse/protocol';
import type { CommandRoute, CommandWay } from '../policy/command-route.ts';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import { runAsReader } from '../sandbox/run-as-reader.ts';
import { transactionalCommands, type TransactionalParts } from '../transaction/transactional-commands.ts';
import type { BoundCall } from './call.ts';
import { OutputEnd } from './output-end.ts';
import { settleChanges, type Settling } from './settle-changes.ts';

/** What a result calls each way. */
const RAN: Record<CommandWay, NonNullable<CallMeta['ran']>> = { reader: 'read-only', transaction: 'copy', live: 'live', unconfined: 'unconfined' };

/** `git status` writes its index to be faster the next time: that is no change that anybody should be asked about. */
const NO_REFRESH = { GIT_OPTIONAL_LOCKS: '0' };

/** What commands of one call are run with. */
export interface CommandPlaces extends Pick<TransactionalParts, 'open' | 'problem'> {
  /** Runs a command in the workspace itself: in the sandbox, or where there is none without. */
  readonly plain: Processes;
  readonly settling: Omit<Settling, 'output'>;
}

/** It was let through because it runs on a copy: it must never run in the workspace instead. */
const NOWHERE: Processes = {
  run: () => {
    throw new SynapseError('unavailable', 'The command cannot run on a copy of the workspace any more. It was not run.', {
      hint: 'Repeat it: what it needs is decided anew.',
      retryable: true,
    });
  },
};

const quietly = (request: ProcessRequest): ProcessRequest => ({ ...request, environment: { ...request.environment, ...NO_REFRESH } });

/** Runs the commands of a call the way that was decided on, and says which it was. */
export function routedCommands(call: BoundCall, route: CommandRoute, { plain, settling, ...parts }: CommandPlaces): Processes {
  const { decision, facts } = call;
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
      facts.ran = RAN.transaction;
      const output = new OutputEnd();
      const commands = transactionalCommands({
        ...parts,
        live: NOWHERE,
        facts,
        settle: (transaction) => settleChanges(transaction, call, { ...settling, output: () => output.text }),
      });
      const watched: ProcessRequest = {
        ...(decision.deferred ? quietly(request) : request),
        onOutput: (stream, chunk) => {
          output.add(chunk);
          request.onOutput(stream, chunk);
        },
      };
      return await commands.run(watched);
    },
  };
  const reading: Processes = {
    run: async (request) => {
      facts.ran = RAN.reader;
      return await runAsReader(quietly(request), { processes: plain, again: decision.mayChange ? onCopy : undefined });
    },
  };
  return { reader: reading, transaction: onCopy, live: inPlace, unconfined: inPlace }[route.way];
}
