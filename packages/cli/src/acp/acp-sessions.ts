import { RequestError, type ListSessionsResponse } from '@agentclientprotocol/sdk';
import { SessionStore, type AgentSession, type SessionRecord } from '@synapse/brain';
import { SynapseError } from '@synapse/protocol';
import { isAbsolute } from 'node:path';
import { currentBranch } from '../branch/branch-variable.ts';
import { sessionsRoot } from '../hands/workspace-root.ts';
import type { Output } from '../output/output.ts';
import { openAcpPlace, type AcpOptions } from './acp-place.ts';
import { AcpSession } from './acp-session.ts';
import type { PassedServer } from './client-servers.ts';
import type { Face } from './face.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Number of sessions in one answer. */
const PAGE = 50;
/** Maximum number of open sessions of an editor: each has a database and the handles of a folder. */
const MAX_OPEN = 64;
const MAX_TITLE = 120;

/** What an editor opens a session with. */
export interface Opening {
  readonly cwd: string;
  readonly servers: readonly PassedServer[];
}

/** The sessions of one editor. */
export class AcpSessions implements AsyncDisposable {
  readonly #options: AcpOptions;
  readonly #err: Output;
  readonly #store: SessionStore;
  readonly #open = new Map<string, AcpSession>();
  /** Those that are being opened. They count as open. */
  readonly #opening = new Set<string>();
  /** Settles when the last work on a session that was begun has ended. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #room = new WaitingRoom();
  readonly #openPlace: typeof openAcpPlace;
  #isClosed = false;

  constructor(options: AcpOptions, err: Output, stateFolder: string, openPlace = openAcpPlace) {
    this.#options = options;
    this.#openPlace = openPlace;
    this.#err = err;
    this.#store = SessionStore.open(stateFolder);
  }

  async create(opening: Opening, face: Face): Promise<{ readonly id: string; readonly session: AcpSession }> {
    const id = SessionStore.newId();
    return { id, session: await this.#inTurn(id, () => this.#openSession(id, this.#options, opening, face)) };
  }

  /** Opens a saved session again. Its model and dialect stay, unless the command line names others. */
  async reopen(id: string, opening: Opening, face: Face): Promise<AcpSession> {
    return await this.#inTurn(id, () => this.#reopen(id, opening, face));
  }

  async #reopen(id: string, opening: Opening, face: Face): Promise<AcpSession> {
    const { workspace, model, baseUrl, dialect, remote, branch } = this.#saved(id);
    if (remote !== undefined || workspace !== sessionsRoot(opening.cwd)) {
      throw new SynapseError('invalid_arguments', 'This session belongs to another folder.', { hint: `Open it in ${remote ?? workspace}.` });
    }
    if (branch !== currentBranch()) {
      throw new SynapseError('invalid_arguments', `This session works in ${branch === undefined ? 'the workspace' : `the branch ${branch}`}.`, {
        hint: `Continue it at a terminal: synapse resume ${id}`,
      });
    }
    const given = this.#options;
    const named = given.model === undefined && given.baseUrl === undefined ? { model: model === '' ? undefined : model, baseUrl } : {};
    return await this.#openSession(id, { ...given, dialect: given.dialect ?? dialect, ...named }, opening, face, () => this.#store.resume(id));
  }

  /** @throws RequestError if no such session is open */
  find(id: string): AcpSession {
    const found = this.#open.get(id);
    if (found === undefined) throw RequestError.sessionNotFound(id);
    return found;
  }

  cancel(id: string): void {
    this.#open.get(id)?.cancel();
  }

  /** Closes a session, also one that is being opened. */
  async close(id: string): Promise<void> {
    await this.#inTurn(id, () => this.#close(id));
  }

  /** @param cursor the number of sessions before the page */
  list(cwd: string | undefined, cursor: string | undefined): ListSessionsResponse {
    const start = cursor === undefined ? 0 : Number(cursor);
    if (!Number.isSafeInteger(start) || start < 0) throw new SynapseError('invalid_arguments', 'The cursor is not one of this agent.');
    const all = this.#store
      .list(cwd === undefined ? undefined : sessionsRoot(cwd))
      .filter(({ remote, branch }) => remote === undefined && branch === currentBranch());
    const sessions = all.slice(start, start + PAGE).map(({ id, workspace, task, updatedAt }) => ({
      sessionId: id,
      cwd: workspace,
      title: task.slice(0, MAX_TITLE).toWellFormed(),
      updatedAt: new Date(updatedAt).toISOString(),
    }));
    return { sessions, ...(start + PAGE < all.length ? { nextCursor: String(start + PAGE) } : {}) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(Array.from(new Set([...this.#open.keys(), ...this.#turns.keys()]), async (id) => await this.close(id)));
    this.#store[Symbol.dispose]();
  }

  #saved(id: string): SessionRecord {
    try {
      return this.#store.get(id);
    } catch {
      throw RequestError.sessionNotFound(id);
    }
  }

  /** Does work on a session after all that was begun before: of two requests at the same time, both would open it. */
  async #inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(id);
    const ended = Promise.withResolvers<void>();
    this.#turns.set(id, ended.promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#turns.get(id) === ended.promise) this.#turns.delete(id);
      ended.resolve();
    }
  }

  async #close(id: string): Promise<void> {
    const found = this.#open.get(id);
    this.#open.delete(id);
    await found?.[Symbol.asyncDispose]();
  }

  /** Opens a session, in place of the same one. */
  async #openSession(id: string, options: AcpOptions, { cwd, servers }: Opening, face: Face, stored?: () => AgentSession): Promise<AcpSession> {
    if (!isAbsolute(cwd)) throw new SynapseError('invalid_arguments', 'The folder must be an absolute path.');
    if (this.#isClosed) throw new SynapseError('cancelled', 'The editor disconnected.');
    const others = new Set([...this.#open.keys(), ...this.#opening]);
    others.delete(id);
    if (others.size >= MAX_OPEN) throw new SynapseError('busy', `${MAX_OPEN} sessions are open already.`, { hint: 'Close one first.' });
    this.#opening.add(id);
    try {
      await this.#close(id);
      // What was said by then. It fails if the session was deleted.
      const known = stored?.();
      const place = await this.#openPlace(options, { sessionId: id, cwd, servers, face, err: this.#err });
      const session = new AcpSession({ id, place, store: this.#store, options, room: this.#room, stored: known });
      this.#open.set(id, session);
      return session;
    } finally {
      this.#opening.delete(id);
    }
  }
}
