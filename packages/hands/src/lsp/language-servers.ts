import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { FoundEntry } from '../search/file-search.ts';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { findProgram, type ProgramPlaces, type ServerProgram } from './find-program.ts';
import type { Finding } from './finding.ts';
import { LanguageServer, type CheckedText, type FileEvent } from './language-server.ts';
import { SERVERS, type ServerRow } from './server-table.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { DiskChangeSource } from './disk-changes.ts';

/** After so long without a question a server ends, in milliseconds. */
const IDLE_MS = 5 * 60_000;
/** So many ends of its own within the window, and a server is not started again until the window is over. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;
/** One that is there and was passed over must not read as one that is not there: so it is where Synapse works on itself. */
const UNTRUSTED = ' One that lies inside the workspace runs only once a person trusts the folder: synapse projects trust.';

/** Processes for one server, confined or not. */
export interface ServerProcesses extends Processes, AsyncDisposable {
  /** Whether what is started runs in a sandbox. */
  isConfined(): Promise<boolean>;
}

/** What {@link LanguageServers} are made of. */
export interface LanguageServersParts {
  /** The real path of the workspace. */
  readonly root: string;
  readonly directory: () => PinnedDirectory;
  /** Whether a person trusts the workspace, so that its own programs may run. */
  readonly isTrusted: () => boolean;
  /** Opens processes that see the given place besides. */
  readonly open: (place: string) => ServerProcesses;
  /** Whether the policy lets a program run without a sandbox. */
  readonly mayRunUnconfined: (program: string) => boolean;
  /** Knows what changes in the workspace. Default: the newest files are compared. */
  readonly folders?: FolderIndex;
  /** Default: those of the table. */
  readonly servers?: readonly ServerRow[];
  /** Default: TypeScript 7, and the PATH. */
  readonly find?: (row: ServerRow, places: ProgramPlaces) => Promise<ServerProgram | undefined>;
}

/** What a server said. */
export interface Checked {
  /** Undefined where it had no answer in its time. */
  readonly findings: readonly Finding[] | undefined;
  /** Which server, in words. */
  readonly origin: string;
}

interface Slot {
  readonly changes: DiskChangeSource;
  /** What it was not told of yet. */
  untold: readonly FileEvent[];
  /** One question after the other: what is asked shares the server's documents. */
  queue: Promise<unknown>;
  running: { readonly server: LanguageServer; readonly processes: ServerProcesses } | undefined;
  idle: NodeJS.Timeout | undefined;
  /** When it ended by itself, lately; and how, at last. */
  crashes: number[];
  why: string;
}

/** The language servers of a workspace: started when they are first asked, kept warm, ended when nobody asks. */
export class LanguageServers implements AsyncDisposable {
  readonly rows: readonly ServerRow[];
  readonly #parts: LanguageServersParts;
  readonly #slots = new Map<ServerRow, Slot>();
  #closed = false;

  constructor(parts: LanguageServersParts) {
    this.#parts = parts;
    this.rows = parts.servers ?? SERVERS;
  }

  /**
   * Asks the server of a language about a file.
   *
   * @param look tells the files of the workspace as they are now
   * @throws SynapseError `unavailable` where there is no server, or it does not work; `approval_required` where nothing would confine it
   */
  async check(row: ServerRow, file: CheckedText, look: (row: ServerRow) => Promise<readonly FoundEntry[]>, signal: AbortSignal): Promise<Checked> {
    signal.throwIfAborted();
    const slot = this.#slot(row);
    const before = slot.queue;
    const turn = Promise.withResolvers<void>();
    slot.queue = turn.promise;
    try {
      await Promise.race([before, aborted(signal)]);
      signal.throwIfAborted();
      return await this.#ask(row, slot, file, look, signal);
    } finally {
      // Whoever gave up waiting must not let the next one overtake the one that still asks.
      void before.then(() => turn.resolve());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#slots.values()].map((slot) => stop(slot)));
  }

  #slot(row: ServerRow): Slot {
    let slot = this.#slots.get(row);
    if (slot === undefined) {
      slot = {
        changes: new DiskChangeSource(row, this.#parts.folders),
        untold: [],
        queue: Promise.resolve(),
        running: undefined,
        idle: undefined,
        crashes: [],
        why: '',
      };
      this.#slots.set(row, slot);
    }
    return slot;
  }

  async #ask(row: ServerRow, slot: Slot, file: CheckedText, look: (row: ServerRow) => Promise<readonly FoundEntry[]>, signal: AbortSignal) {
    const { events, restart } = await slot.changes.next(() => look(row));
    if (restart) await stop(slot);
    // Who gave up waiting must not keep from the server what changed.
    slot.untold = [...slot.untold, ...events];
    // Once more after it ended in the middle: most often that is what it needed.
    for (let tries = 0; ; tries += 1) {
      const fresh = slot.running === undefined;
      const server = await this.#running(row, slot);
      clearTimeout(slot.idle);
      try {
        if (!fresh) await server.changed(slot.untold, signal);
        slot.untold = [];
        return { findings: await server.check(file, signal), origin: server.program.origin };
      } catch (error) {
        signal.throwIfAborted();
        const why = await Promise.race([server.ended, nextTurn()]);
        if (why === undefined)
          throw new SynapseError('tool_failed', `The language server of ${row.name} could not answer.`, { hint: AGAIN, cause: error });
        if (tries > 0) throw broken(row, why, error);
      } finally {
        slot.idle = setTimeout(() => void stop(slot), IDLE_MS).unref();
      }
    }
  }

  async #running(row: ServerRow, slot: Slot): Promise<LanguageServer> {
    if (slot.running !== undefined) return slot.running.server;
    if (this.#closed) throw new SynapseError('cancelled', 'The hands are closed.');
    slot.crashes = slot.crashes.filter((time) => performance.now() - time < CRASH_WINDOW_MS);
    if (slot.crashes.length >= MAX_CRASHES) throw broken(row, slot.why);
    const { root, directory, isTrusted, open, mayRunUnconfined, find = findProgram } = this.#parts;
    const trusted = isTrusted();
    const program = await find(row, { root, trusted });
    if (program === undefined) {
      throw new SynapseError('unavailable', `There is no language server for ${row.name} here.`, {
        hint: `A person can install one: ${row.install}.${trusted ? '' : UNTRUSTED}`,
      });
    }
    const processes = open(program.place);
    try {
      await assertConfined(processes, program, mayRunUnconfined);
    } catch (error) {
      await processes[Symbol.asyncDispose]();
      throw error;
    }
    const server = new LanguageServer({ row, program, processes, root, directory });
    const running = { server, processes };
    slot.running = running;
    void server.ended.then((why) => {
      // Of its own accord: whoever ends it takes it from the slot first.
      if (slot.running !== running) return;
      slot.running = undefined;
      slot.crashes.push(performance.now());
      slot.why = why;
      void processes[Symbol.asyncDispose]();
    });
    return server;
  }
}

const AGAIN = 'Repeat the call; meanwhile run_command can run the compiler or checker of the project.';

function broken(row: ServerRow, why: string, cause?: unknown): SynapseError {
  return new SynapseError('unavailable', `The language server of ${row.name} does not work: ${why.slice(0, 200)}.`, {
    hint: `${AGAIN} Where it is not installed in full: ${row.install}.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A server runs what the repository tells it to: without a sandbox that is a command like any other. */
async function assertConfined(processes: ServerProcesses, { argv }: ServerProgram, mayRunUnconfined: (program: string) => boolean): Promise<void> {
  try {
    if ((await processes.isConfined()) || mayRunUnconfined(argv[0])) return;
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    throw new SynapseError('unavailable', `Language servers run in a sandbox only, and there is none. ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    });
  }
  throw new SynapseError(
    'approval_required',
    'There is no sandbox here, and without one a language server could run what the repository tells it to.',
    {
      hint: 'A person can install bubblewrap (apt install bubblewrap), or allow commands without it: --yes (CLI), --allow exec (MCP server), allow: ["exec"] (library).',
    },
  );
}

async function stop(slot: Slot): Promise<void> {
  clearTimeout(slot.idle);
  const { running } = slot;
  slot.running = undefined;
  if (running === undefined) return;
  await running.server.close();
  await running.processes[Symbol.asyncDispose]();
}

/** Long enough for an end that is under way to be known. */
const nextTurn = (): Promise<undefined> => new Promise((resolve) => void setTimeout(resolve, 50, undefined));

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
