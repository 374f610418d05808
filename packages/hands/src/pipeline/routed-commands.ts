import { createHash } from 'node:crypto';
import { SynapseError, type CallMeta } from '@synapse/protocol';
import type { CommandBasis, CommandRecord } from '../call/command-record.ts';
import type { CommandRoute, CommandWay } from '../policy/command-route.ts';
import type { OutputStream, ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import { transactionalCommands, type TransactionalParts } from '../transaction/transactional-commands.ts';
import { settlesWithin, type Lazy } from '../events/timing.ts';
import type { TreeState } from '../tree/tree-folders.ts';
import type { WorkspaceTree } from '../tree/workspace-tree.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import type { RunningCall } from '../call/call.ts';
import { settleChanges, type Settling } from './settle-changes.ts';

/** The name of each route in results. */
const RAN: Record<CommandWay, NonNullable<CallMeta['ran']>> = { reader: 'read-only', transaction: 'copy', live: 'live', unconfined: 'unconfined' };

/**
 * What programs change only to run faster the next time. It is not worth a question, and caches of code need one: a program runs
 * them in place of its source. `git status` refreshes its index; Python, jiti and @babel/register keep compiled code.
 */
const NO_CACHES = { GIT_OPTIONAL_LOCKS: '0', PYTHONDONTWRITEBYTECODE: '1', JITI_FS_CACHE: 'false', BABEL_DISABLE_CACHE: '1' };

/** Maximum bytes of output to hold back. A command that printed more is not run again. */
const MAX_HELD_BYTES = 1024 * 1024;
/** How programs report a write that the tier refuses to a command that only reads. */
const REFUSED_WRITE: Readonly<Record<ProcessOutcome['sandbox'], RegExp>> = {
  bubblewrap: /Read-only file system|EROFS/u,
  landlock: /Permission denied|EACCES/u,
  seatbelt: /Operation not permitted|EPERM/u,
  none: /Read-only file system|EROFS/u,
};

/** Output that is held back until it is known whether it counts. */
class HeldOutput {
  readonly #chunks: Array<readonly [OutputStream, Buffer]> = [];
  readonly #take: ProcessRequest['onOutput'];
  #bytes = 0;
  #released = false;

  constructor(take: ProcessRequest['onOutput']) {
    this.#take = take;
  }

  readonly add = (stream: OutputStream, chunk: Buffer): void => {
    if (this.#released) return this.#take(stream, chunk);
    // A copy, because the memory may be reused for the next chunk.
    this.#chunks.push([stream, Buffer.from(chunk)]);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_HELD_BYTES) this.release();
  };

  release(): void {
    this.#released = true;
    for (const [stream, chunk] of this.#chunks.splice(0)) this.#take(stream, chunk);
  }

  /** Whether all output was held back and reports a write that was refused. */
  wasRefused(tier: ProcessOutcome['sandbox']): boolean {
    return !this.#released && REFUSED_WRITE[tier].test(Buffer.concat(this.#chunks.map(([, chunk]) => chunk)).toString('latin1'));
  }
}

/** Dependencies of {@link runAsReader}. */
interface ReaderParts {
  readonly processes: Processes;
  /** Runs the command where it can write, with its changes judged like those of any command; undefined if that is not allowed. */
  readonly again: Processes | undefined;
}

/**
 * Runs a command on the workspace mounted read-only, without network. A command that fails because it tried to write is run
 * again where it can write: the first run changed nothing, and its output is not shown.
 */
export async function runAsReader(request: ProcessRequest, { processes, again }: ReaderParts): Promise<ProcessOutcome> {
  if (again === undefined) return await processes.run({ ...request, mode: 'read' });
  const held = new HeldOutput(request.onOutput);
  let outcome: ProcessOutcome;
  try {
    outcome = await processes.run({ ...request, mode: 'read', onOutput: held.add });
  } catch (error) {
    held.release();
    throw error;
  }
  if (outcome.exitCode !== 0 && !outcome.aborted && held.wasRefused(outcome.sandbox)) return await again.run(request);
  held.release();
  return outcome;
}

/** Dependencies of {@link routedCommands}. */
export interface CommandPlaces extends Pick<TransactionalParts, 'open' | 'problem'> {
  /** Runs a command in the workspace itself: in the sandbox, or without if none works. */
  readonly plain: Processes;
  readonly settling: Omit<Settling, 'output'>;
  /** Whether earlier commands wrote build output that only copies of the workspace show. */
  readonly hasOutputs: () => boolean;
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

const quietly = (request: ProcessRequest): ProcessRequest => ({ ...request, environment: { ...request.environment, ...NO_CACHES } });

/** Runs the commands of a call on the route that the policy decided, and records the route. */
export function routedCommands(call: RunningCall, route: CommandRoute, { plain, settling, hasOutputs, ...parts }: CommandPlaces): Processes {
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
      const isOnCopy = hasOutputs() && (await parts.problem()) === undefined;
      const processes = isOnCopy ? readingCopy(parts.open) : plain;
      return await runAsReader(quietly(request), { processes, again: decision.mayChange ? onCopy : undefined });
    },
  };
  return { reader: reading, transaction: onCopy, live: inPlace, unconfined: inPlace }[route.way];
}

/** Runs a command on a copy that it cannot change. */
const readingCopy = (open: CommandPlaces['open']): Processes => ({
  run: async (request) => {
    await using transaction = await open(request);
    await request.onEnd?.();
    return transaction.outcome;
  },
});

/** The content of the workspace, or why it is not known. */
type KnownTree = TreeState | string;

/** The tree of a workspace, opened at the first command. While nothing changes, a look costs as much as one at the index. */
export class CurrentTree implements Disposable {
  readonly #folders: Lazy<FolderIndex>;
  readonly #open: () => Promise<WorkspaceTree>;
  #opening: Promise<WorkspaceTree> | undefined;
  #tree: WorkspaceTree | undefined;
  #known: { readonly version: number; readonly state: TreeState } | undefined;
  #isDisposed = false;

  constructor(folders: Lazy<FolderIndex>, open: () => Promise<WorkspaceTree>) {
    this.#folders = folders;
    this.#open = open;
  }

  /** Returns what commands can read now, or why that is not known. */
  async current(): Promise<TreeState | string> {
    try {
      const tree = (this.#tree ??= await (this.#opening ??= this.#openTree()));
      const index = this.#folders.get();
      const now = await index.refresh();
      if (this.#known?.version === now.version && index.mode?.kind === 'watched') return this.#known.state;
      const { version } = now;
      const state = await tree.at(now);
      this.#known = typeof state === 'string' ? undefined : { version, state };
      return state;
    } catch {
      // The command counts more than its record, which says that the tree is missing.
      return 'the files of the workspace could not be read';
    }
  }

  async #openTree(): Promise<WorkspaceTree> {
    const tree = await this.#open();
    if (this.#isDisposed) tree[Symbol.dispose]();
    return tree;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#tree?.[Symbol.dispose]();
  }
}

/** Milliseconds that a command waits for the first look at all files. A repository of 30,000 takes about as long; later looks take a few. */
const MAX_WAIT_MS = 2_000;

/** As above, for a look at what a command left, which may be as much again. */
const MAX_WAIT_AFTER_MS = 10_000;

/** The content of the workspace, unless looking at it takes too long: it goes on for later commands. */
export async function inTime(looking: Promise<KnownTree>, closing: AbortSignal, milliseconds = MAX_WAIT_MS): Promise<KnownTree> {
  return (await settlesWithin(looking, milliseconds, closing)) ? await looking : 'the files of the workspace were still being read';
}

/** What the record of a command needs. */
export interface CommandWitness {
  /** The content of the workspace now. */
  readonly tree: () => Promise<KnownTree>;
  /** Removes secrets from what is kept. */
  readonly redact: (text: string) => string;
  /** What identifies the programs that a call names. */
  readonly programs: (call: RunningCall) => CommandRecord['programs'];
  /** Ends each wait for the content. */
  readonly closing: AbortSignal;
  /** Whether the command outlives its call from the start, in the workspace itself. */
  readonly outlives?: boolean;
}

/** Runs the commands of a call, and notes what the one that ends in it stood on. */
export function recordedCommands(
  processes: Processes,
  call: RunningCall,
  { tree: lookAtTree, programs, redact, closing, outlives = false }: CommandWitness,
): Processes {
  const { state, decision } = call;
  return {
    run: async (request) => {
      const sum = createHash('sha256');
      let bytes = 0;
      const applied = state.changes.length;
      const before = lookAtTree();
      const isLive = outlives || (decision.route?.way !== 'reader' && decision.route?.way !== 'transaction');
      // On a copy, the command changes nothing that is looked at. Otherwise, a look that ends later may have seen what the command wrote.
      const found = isLive ? await inTime(before, closing) : undefined;
      const ran = (): Pick<CommandRecord, 'ran'> => {
        const way = state.ran ?? (decision.route === undefined ? undefined : RAN[decision.route.way]);
        return way === undefined ? {} : { ran: way };
      };
      state.basis = () => ({
        argv: request.argv.map((word) => redact(word)),
        started_ms: steadyMs() - (performance.now() - call.startedAt),
        programs: programs(call),
        ...ran(),
        ...basisOf(found),
      });
      const later = async (looking: Promise<KnownTree>): Promise<KnownTree> => await inTime(looking, closing, MAX_WAIT_AFTER_MS);
      const look = async (): Promise<Pick<Grounds, 'before' | 'atEnd'>> => {
        const atEnd = lookAtTree();
        const first = await inTime(before, closing);
        return { before: first, atEnd: typeof first === 'string' ? undefined : await later(atEnd) };
      };
      // A look that ends after the changes of a command on a copy were applied would see them.
      let seen = found === undefined ? undefined : Promise.resolve<Pick<Grounds, 'before' | 'atEnd'>>({ before: found, atEnd: undefined });
      const outcome = await processes.run({
        ...request,
        onOutput(stream, chunk) {
          sum.update(chunk);
          bytes += chunk.length;
          request.onOutput(stream, chunk);
        },
        async onEnd() {
          await Promise.all([(seen ??= look()), request.onEnd?.()]);
        },
      });
      const output = { sha256: sum.digest('hex'), bytes };
      const grounds = (seen ??= look());
      state.endCommand = async ({ isJob } = { isJob: outlives }) => {
        const isChanged = isLive || state.changes.length > applied;
        const { before: first, atEnd } = await grounds;
        const after = isChanged && typeof first !== 'string' ? await later(lookAtTree()) : undefined;
        return {
          ...endOf(request, outcome),
          ...ran(),
          output,
          programs: programs(call),
          ...treeOf({ before: first, atEnd, after }, isJob && isLive),
        };
      };
      return outcome;
    },
  };
}

function endOf({ argv }: ProcessRequest, outcome: ProcessOutcome) {
  const { exitCode, signal, aborted, durationMs, network = 'on' } = outcome;
  return {
    argv: [...argv],
    exit_code: exitCode,
    ...(signal === null ? {} : { signal }),
    ...(aborted ? { aborted: true as const } : {}),
    duration_ms: Math.round(durationMs),
    network,
  };
}

/** Milliseconds of the clock of the system that is never set, which all processes share. */
const steadyMs = (): number => Number(process.hrtime.bigint()) / 1e6;

function basisOf(found: KnownTree | undefined): Pick<CommandBasis, 'tree' | 'no_tree'> {
  if (found === undefined) return { no_tree: 'it ran on a copy, and its end was not seen' };
  if (typeof found === 'string') return { no_tree: found };
  return { tree: { before: found.hash, ...(found.hidden === undefined ? {} : { hidden: found.hidden }) } };
}

interface Grounds {
  readonly before: KnownTree;
  /** When the command on a copy had ended, before its changes were applied. */
  readonly atEnd: KnownTree | undefined;
  readonly after: KnownTree | undefined;
}

/** @param isShared whether it ran beside other calls in the workspace itself: then what differs at its end may be of them */
function treeOf({ before, atEnd = before, after = atEnd }: Grounds, isShared: boolean): Pick<CommandRecord, 'tree' | 'no_tree'> {
  if (typeof before === 'string') return { no_tree: before };
  const left = typeof after === 'string' ? undefined : after.hash;
  const isUnstable = typeof atEnd === 'string' || atEnd.hash !== before.hash || (isShared && left !== before.hash);
  return {
    tree: {
      before: before.hash,
      ...(left === undefined || left === before.hash ? {} : { after: left }),
      ...(before.hidden === undefined ? {} : { hidden: before.hidden }),
      ...(isUnstable ? { unstable: true } : {}),
    },
  };
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
