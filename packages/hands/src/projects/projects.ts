import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { acceptConfiguration, isAccepted, isAsTrusted, pinProject } from '../mcp-client/pins/pin-project.ts';
import { reviewProject, type ProjectReview } from '../mcp-client/pins/review-project.ts';
import { quoteWord } from '../text/shell-words.ts';
import { openRoot } from '../workspace/open-root.ts';
import { recordedRoot } from '../state/branch-place.ts';
import { closeDatabase, openDatabase } from '../state/database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS project (
    root TEXT PRIMARY KEY,
    added INTEGER NOT NULL,
    trusted INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
`;

/** A folder that hands may be opened on. */
const Project = z.object({
  /** Its real path. */
  root: z.string(),
  /** When it was added, in milliseconds since 1970. */
  added: z.int(),
  /** Whether its configuration may permit something, and not only forbid. */
  trusted: z.int().transform((value) => value !== 0),
});
export type Project = z.infer<typeof Project>;

/** Returns the name that a folder is listed under: its real path, or the given path if it no longer exists. A branch is no project of its own. */
function rootOf(folder: string): string {
  const given = resolve(folder);
  return recordedRoot(existsSync(given) ? realpathSync(given) : given);
}

/** The folders that the user added as projects. */
export class Projects implements Disposable {
  /** The new name of a damaged list, if this one replaced it. */
  readonly setAside: string | undefined;
  readonly #database: DatabaseSync;
  readonly #stateFolder: string;

  private constructor(stateFolder: string) {
    const { database, setAside } = openDatabase(join(stateFolder, 'projects.db'), SCHEMA);
    this.#database = database;
    this.#stateFolder = stateFolder;
    this.setAside = setAside;
  }

  /** @throws SynapseError `unavailable` if the list cannot be opened or created */
  static open(stateFolder: string): Projects {
    return new Projects(stateFolder);
  }

  list(): Project[] {
    return this.#database
      .prepare('SELECT * FROM project ORDER BY root')
      .all()
      .map((row) => Project.parse(row));
  }

  get(folder: string): Project | undefined {
    const row = this.#database.prepare('SELECT * FROM project WHERE root = ?').get(rootOf(folder));
    return row === undefined ? undefined : Project.parse(row);
  }

  /** Returns the nearest project that a folder is inside of. */
  above(folder: string): Project | undefined {
    const parent = dirname(rootOf(folder));
    return parent === rootOf(folder) ? undefined : (this.get(parent) ?? this.above(parent));
  }

  /**
   * Adds a folder; a listed one stays unchanged.
   * @returns whether it is new
   * @throws SynapseError `not_found`, `wrong_type` or `denied` for a folder that cannot be a workspace
   */
  add(folder: string): boolean {
    // A missing one is reported as missing, with the way to take it off the list.
    if (this.get(folder) !== undefined) this.require(folder);
    openRoot(folder, this.#stateFolder).confinement[Symbol.dispose]();
    const { changes } = this.#database
      .prepare('INSERT INTO project (root, added) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(rootOf(folder), Date.now());
    return changes !== 0;
  }

  /** Removes a folder from the list; its files and records stay. */
  remove(folder: string): void {
    const { changes } = this.#database.prepare('DELETE FROM project WHERE root = ?').run(rootOf(folder));
    if (changes === 0) throw this.#untracked(folder);
  }

  /**
   * Collects what trusting a project would start and approve, for the user to review.
   * @throws SynapseError `denied` if it is not tracked, `not_found` if it no longer exists
   */
  review(folder: string): ProjectReview {
    return reviewProject(this.require(folder).root);
  }

  /**
   * Sets whether a project's configuration may permit something and name MCP servers.
   * @param review what the user reviewed; only this is approved, not later additions. Default: the current state
   */
  trust(folder: string, trusted = true, review?: ProjectReview): void {
    if (trusted && this.get(folder) !== undefined) pinProject(this.#stateFolder, rootOf(folder), review ?? reviewProject(rootOf(folder)));
    const { changes } = this.#database.prepare('UPDATE project SET trusted = ? WHERE root = ?').run(trusted ? 1 : 0, rootOf(folder));
    if (changes === 0) throw this.#untracked(folder);
  }

  /**
   * Applies the rules and the mode of a project's reviewed configuration, without trusting its folder.
   * @throws SynapseError `denied` if the project is not tracked, `unavailable` if the approval cannot be stored
   */
  acceptConfiguration(folder: string, text: string): void {
    acceptConfiguration(this.#stateFolder, this.require(folder).root, text);
  }

  /** Whether a project's configuration applies as it is: its folder is trusted with it, or the user accepted it separately. */
  counts(folder: string, text: string): boolean {
    const root = rootOf(folder);
    if (isAccepted(this.#stateFolder, root, text)) return true;
    return this.get(folder)?.trusted === true && isAsTrusted(this.#stateFolder, root, text);
  }

  /**
   * Returns the project of a folder.
   * @throws SynapseError `denied` if it is not tracked, `not_found` if it no longer exists
   */
  require(folder: string): Project {
    const project = this.get(folder);
    if (project === undefined) throw this.#untracked(folder);
    if (existsSync(project.root)) return project;
    throw new SynapseError('not_found', 'Project no longer exists', {
      hint: 'Put the folder back where it was, or take it off the list: synapse projects remove.',
    });
  }

  [Symbol.dispose](): void {
    closeDatabase(this.#database);
  }

  #untracked(folder: string): SynapseError {
    const above = this.above(folder);
    const inside = above === undefined ? '' : `It is inside of a tracked project: ${above.root}. Work there, or add this folder as well.\n`;
    const damaged = this.setAside === undefined ? '' : ` The list of projects was damaged and moved to ${this.setAside}; this is a new one.`;
    return new SynapseError('denied', 'Project not tracked. Only tracked projects can be accessed.', {
      hint: `${inside}A person can add it: synapse projects add ${quoteWord(resolve(folder))} (library: tracked: "add").${damaged}`,
    });
  }
}
