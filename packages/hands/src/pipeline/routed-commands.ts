import { SynapseError, type CallMeta } from '@synapse/protocol';
import type { CommandRoute, CommandWay } from '../policy/command-route.ts';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import { runAsReader } from '../sandbox/run-as-reader.ts';
import { transactionalCommands, type TransactionalParts } from '../transaction/transactional-commands.ts';
import type { RunningCall } from '../call/call.ts';
import { settleChanges, type Settling } from './settle-changes.ts';

/** The name of each route in results. */
const RAN: Record<CommandWay, NonNullable<CallMeta['ran']>> = { reader: 'read-only', transaction: 'copy', live: 'live', unconfined: 'unconfined' };

/** `git status` refreshes its index to run faster the next time: a change that needs no approval. */
const NO_REFRESH = { GIT_OPTIONAL_LOCKS: '0' };

/** Dependencies of {@link routedCommands}. */
export interface CommandPlaces extends Pick<TransactionalParts, 'open' | 'problem'> {
  /** Runs a command in the workspace itself: in the sandbox, or without if none works. */
  readonly plain: Processes;
  readonly settling: Omit<Settling, 'output'>;
}

/** The command was allowed because it runs on a copy: it must never run in the workspace instead. */
const NOWHERE: Processes = {
  run: () => {
    throw new SynapseError('unavailable', 'The command cannot run on a copy of the workspace any more. It was not run.', {
      hint: 'Repeat it: its permissions are decided again.',
      retryable: true,
    });
  },
};

const quietly = (request: ProcessRequest): ProcessRequest => ({ ...request, environment: { ...request.environment, ...NO_REFRESH } });

/** Runs the commands of a call on the route that the policy decided, and records the route. */
export function routedCommands(call: RunningCall, route: CommandRoute, { plain, settling, ...parts }: CommandPlaces): Processes {
  const { decision, state } = call;
  const inPlace: Processes = {
    run: async (request) => {
      state.ran = RAN[route.way];
      state.undo = 'not covered';
      if (route.notice !== undefined) state.notes.push(route.notice);
      return await plain.run(request);
    },
  };
  const onCopy: Processes = {
    run: async (request) => {
      state.ran = RAN.transaction;
      const output = new OutputEnd();
      const commands = transactionalCommands({
        ...parts,
        live: NOWHERE,
        state,
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
      state.ran = RAN.reader;
      return await runAsReader(quietly(request), { processes: plain, again: decision.mayChange ? onCopy : undefined });
    },
  };
  return { reader: reading, transaction: onCopy, live: inPlace, unconfined: inPlace }[route.way];
}

/** Maximum bytes of output shown with a question. The model gets all of it. */
const KEPT_BYTES = 4 * 1024;

/** Keeps the end of a command's output. */
class OutputEnd {
  #kept = Buffer.alloc(0);
  #cut = false;

  add(chunk: Buffer): void {
    const joined = Buffer.concat([this.#kept, chunk.subarray(-KEPT_BYTES)]);
    this.#cut ||= joined.length > KEPT_BYTES || chunk.length > KEPT_BYTES;
    this.#kept = joined.subarray(-KEPT_BYTES);
  }

  /** The kept output. Starts at a new line if earlier output is missing. */
  get text(): string {
    const text = this.#kept.toString('utf8');
    return this.#cut ? `…${text.slice(text.indexOf('\n'))}` : text;
  }
}
