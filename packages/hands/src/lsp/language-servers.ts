import { relative } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { until } from '../events/timing.ts';
import type { FoundEntry } from '../search/file-search.ts';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { assertReadable, notAFile } from './project-files.ts';
import { findProgram, type ProgramPlaces, type ServerProgram } from './find-program.ts';
import type { Finding } from './finding.ts';
import { CheckBatch } from './check-batch.ts';
import type { CheckedText } from './checked-text.ts';
import type { Answered } from './code-servers.ts';
import { LanguageServer, type FileEvent } from './language-server.ts';
import type { ServerSession } from './server-session.ts';
import { configsWithOldDefaults } from './typescript-defaults.ts';
import { SERVERS, type ServerRow } from './server-table.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { ChangeLog } from './change-log.ts';
import { DiskChangeSource } from './disk-changes.ts';

/** Milliseconds without a request after which a server is stopped. */
const IDLE_MS = 5 * 60_000;
/** Maximum number of crashes within the window. After that, the server is not restarted until the window is over. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;
/** Milliseconds of questions, one after the other, in which a server may say nothing at all. One that hangs would not answer the next one either. */
const SILENT_MS = 90_000;
/** Distinguishes a skipped server from a missing one, for example when Synapse works on itself. */
const UNTRUSTED = ' One that is inside the workspace runs only once a person trusts the folder: synapse projects trust.';

/** Processes for one server, sandboxed or not. */
export interface ServerProcesses extends Processes, AsyncDisposable {
  /** Whether started processes run in a sandbox. */
  isConfined(): Promise<boolean>;
}

/** The dependencies of {@link LanguageServers}. */
export interface LanguageServersParts {
  /** The real path of the workspace. */
  readonly root: string;
  readonly directory: () => PinnedDirectory;
  /** Whether a path of the workspace must not be read. Default: none. */
  readonly hides?: ((path: string) => boolean) | undefined;
  /** Whether the workspace is trusted, so that its programs may run. */
  readonly isTrusted: () => boolean;
  /** Creates processes that also see the given path. */
  readonly open: (place: string) => ServerProcesses;
  /** Whether the policy lets a program run without a sandbox. */
  readonly mayRunUnconfined: (program: string) => boolean;
  /** Differs after each change of what a server sees beside the workspace. Default: nothing. */
  readonly stamp?: () => string;
  /** Knows what changes in the workspace. Default: the newest files are compared. */
  readonly folders?: FolderIndex;
  /** Default: {@link SILENT_MS}. */
  readonly silentMs?: number;
  /** Default: the servers of the table. */
  readonly servers?: readonly ServerRow[];
  /** Default: TypeScript 7, and the PATH. */
  readonly find?: (row: ServerRow, places: ProgramPlaces) => Promise<ServerProgram | undefined>;
}

/** The answer of a server. */
export interface Checked {
  /** Undefined if the server did not answer in time. */
  readonly findings: readonly Finding[] | undefined;
  /** Describes the server. */
  readonly origin: string;
}

/** Lists the current files of the workspace that a server should know of. */
export type Look = (row: ServerRow) => Promise<readonly FoundEntry[]>;

interface Slot {
  readonly changes: DiskChangeSource;
  readonly log: ChangeLog;
  /** Changes that the server was not notified of yet. */
  untold: readonly FileEvent[];
  /** Requests run one at a time, because they share the server's documents. */
  queue: Promise<unknown>;
  /** The files to check in the next turn. */
  batch: CheckBatch | undefined;
  running: { readonly server: LanguageServer; readonly processes: ServerProcesses; readonly stamp: string } | undefined;
  idle: NodeJS.Timeout | undefined;
  /** Milliseconds of questions since the running server said anything. */
  silent: number;
  /** Times of recent crashes, and the reason of the last one. */
  crashes: number[];
  why: string;
  endedAtStart: boolean;
}

/** The language servers of a workspace: started on first use, kept warm, stopped when idle. */
export class LanguageServers implements AsyncDisposable {
  readonly rows: readonly ServerRow[];
  readonly #parts: LanguageServersParts;
  readonly #slots = new Map<ServerRow, Slot>();
  #closed = false;

  constructor(parts: LanguageServersParts) {
    this.#parts = parts;
    this.rows = parts.servers ?? SERVERS;
  }

  /** Whether a server runs: a request does not start it. */
  isRunning(row: ServerRow): boolean {
    return this.#slots.get(row)?.running !== undefined;
  }

  /** The changes of files that a server was told of. */
  changesFor(row: ServerRow): Pick<ChangeLog, 'count' | 'hasOthersSince'> {
    return this.#slot(row).log;
  }

  /**
   * Requests the diagnostics of a file from the server for its language.
   *
   * @param look lists the current files of the workspace
   * @throws SynapseError `unavailable` if there is no working server; `approval_required` if it would run without a sandbox
   */
  async check(row: ServerRow, file: CheckedText, look: Look, signal: AbortSignal): Promise<Checked> {
    signal.throwIfAborted();
    assertReadable(this.#parts.directory, row, file.path);
    const slot = this.#slot(row);
    const batch = slot.batch?.takes(file.path) === true ? slot.batch : (slot.batch = new CheckBatch());
    const { answer, origin } = await batch.add({ file, signal }, () =>
      this.#inTurn(row, look, batch.signal, (server) => {
        // What is asked from now on waits for the next turn.
        if (slot.batch === batch) slot.batch = undefined;
        return batch.run((asked) => server.check(asked));
      }),
    );
    return { findings: answer, origin };
  }

  /**
   * Asks a server about files. The work may run twice, if the server ends meanwhile.
   *
   * @param paths files of the projects that it loads
   * @throws SynapseError as {@link check}
   */
  async converse<T>(
    row: ServerRow,
    paths: readonly string[],
    work: (session: ServerSession) => Promise<T>,
    look: Look,
    signal: AbortSignal,
  ): Promise<Answered<T>> {
    signal.throwIfAborted();
    for (const path of paths) assertReadable(this.#parts.directory, row, path);
    return await this.#inTurn(row, look, signal, (server) => server.converse(work, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#slots.values()].map((slot) => stop(slot)));
  }

  async #inTurn<T>(row: ServerRow, look: Look, signal: AbortSignal, work: (server: LanguageServer) => Promise<T>): Promise<Answered<T>> {
    const slot = this.#slot(row);
    const before = slot.queue;
    const turn = Promise.withResolvers<void>();
    slot.queue = turn.promise;
    try {
      await until(before, signal);
      signal.throwIfAborted();
      return await this.#ask(row, slot, look, signal, work);
    } finally {
      // If a caller stops waiting, the next one must still wait for the request that is running.
      void before.then(() => turn.resolve());
    }
  }

  #slot(row: ServerRow): Slot {
    let slot = this.#slots.get(row);
    if (slot === undefined) {
      slot = {
        changes: new DiskChangeSource(row, this.#parts.folders),
        log: new ChangeLog(),
        untold: [],
        queue: Promise.resolve(),
        batch: undefined,
        running: undefined,
        idle: undefined,
        silent: 0,
        crashes: [],
        why: '',
        endedAtStart: false,
      };
      this.#slots.set(row, slot);
    }
    return slot;
  }

  async #ask<T>(row: ServerRow, slot: Slot, look: Look, signal: AbortSignal, work: (server: LanguageServer) => Promise<T>): Promise<Answered<T>> {
    const { events, restart } = await slot.changes.next(() => look(row));
    if (restart) slot.log.noteAll();
    slot.log.note(events.map(({ path }) => path));
    const stamp = this.#parts.stamp?.() ?? '';
    if (restart || (slot.running !== undefined && slot.running.stamp !== stamp)) await stop(slot);
    // Keep the changes even if this caller is aborted: the server must still receive them.
    slot.untold = [...slot.untold, ...events];
    // Retry once if the server ended during the request; this usually succeeds.
    for (let tries = 0; ; tries += 1) {
      const fresh = slot.running === undefined;
      const server = await this.#running(row, slot);
      clearTimeout(slot.idle);
      const asked = performance.now();
      try {
        if (!fresh) await server.changed(slot.untold, signal);
        slot.untold = [];
        return { answer: await work(server), origin: server.program.origin };
      } catch (error) {
        signal.throwIfAborted();
        // What the work itself says, such as that a file must not be read.
        if (isSynapseError(error)) throw error;
        if (server.waitsFor !== undefined) throw notAFile(relative(this.#parts.root, server.waitsFor));
        // The end of many processes takes its time on a busy machine.
        const why = await (server.isKilled ? until(server.ended, signal) : Promise.race([server.ended, nextTurn()]));
        if (why === undefined)
          throw new SynapseError('tool_failed', `The language server of ${row.name} could not answer.`, { hint: AGAIN, cause: error });
        if (tries > 0) throw broken(row, why, server.endedAtStart, error);
      } finally {
        this.#endIfHung(slot, server, asked);
        slot.idle = setTimeout(() => void stop(slot), IDLE_MS).unref();
      }
    }
  }

  /** Ends a server that says nothing while it is asked: the next call starts another one. */
  #endIfHung(slot: Slot, server: LanguageServer, asked: number): void {
    slot.silent = server.isSilentSince(asked) ? slot.silent + performance.now() - asked : 0;
    if (slot.silent > (this.#parts.silentMs ?? SILENT_MS)) server.kill(`it said nothing for ${Math.round(slot.silent / 1_000)} s`);
  }

  async #running(row: ServerRow, slot: Slot): Promise<LanguageServer> {
    if (slot.running !== undefined) return slot.running.server;
    if (this.#closed) throw new SynapseError('cancelled', 'The hands are closed.');
    slot.crashes = slot.crashes.filter((time) => performance.now() - time < CRASH_WINDOW_MS);
    if (slot.crashes.length >= MAX_CRASHES) throw broken(row, slot.why, slot.endedAtStart);
    const { root, directory, isTrusted, open, mayRunUnconfined, find = findProgram } = this.#parts;
    const trusted = isTrusted();
    const program = await find(row, { root, trusted });
    if (program === undefined) {
      throw new SynapseError('unavailable', `Language server not found: ${row.name}`, {
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
    const hides = this.#parts.hides ?? (() => false);
    const alongside = row.typescript === true ? (path: string) => configsWithOldDefaults(path, { root, directory, hides }) : () => [];
    const server = new LanguageServer({ row, program, processes, root, directory, alongside });
    const running = { server, processes, stamp: this.#parts.stamp?.() ?? '' };
    slot.running = running;
    slot.silent = 0;
    void server.ended.then((why) => {
      // It ended by itself: a deliberate stop clears the slot first.
      if (slot.running !== running) return;
      slot.running = undefined;
      // It did not crash: it was ended, because of a file that a person can remove.
      if (server.waitsFor === undefined) slot.crashes.push(performance.now());
      slot.why = why;
      slot.endedAtStart = server.endedAtStart;
      void processes[Symbol.asyncDispose]();
    });
    return server;
  }
}

const MEANWHILE = 'run_command can run the compiler or checker of the project.';
const AGAIN = `Repeat the call; meanwhile ${MEANWHILE}`;

/** @param endedAtStart whether it ended before it answered anything. It does so again, however often it is asked */
function broken(row: ServerRow, why: string, endedAtStart: boolean, cause?: unknown): SynapseError {
  const { name, install } = row;
  return new SynapseError('unavailable', `The language server of ${name} does not ${endedAtStart ? 'start' : 'work'}: ${why.slice(0, 200)}.`, {
    hint: endedAtStart
      ? `A person can install it in full: ${install}. Until then, ${MEANWHILE}`
      : `${AGAIN} Where it is not installed in full: ${install}.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Throws unless the server runs in a sandbox or may run without one. It can run code of the repository, like a command. */
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
  throw new SynapseError('approval_required', 'No sandbox is available, and without one a language server could run code from the repository.', {
    hint: 'A person can install bubblewrap (apt install bubblewrap), or allow commands without it: --allow exec, or allow: ["exec"] (library).',
  });
}

async function stop(slot: Slot): Promise<void> {
  clearTimeout(slot.idle);
  const { running } = slot;
  slot.running = undefined;
  if (running === undefined) return;
  await running.server.close();
  await running.processes[Symbol.asyncDispose]();
}

/** Waits long enough for a process end to be reported. */
const nextTurn = (): Promise<undefined> => new Promise((resolve) => void setTimeout(resolve, 50, undefined));
