import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { pinProject } from '../../mcp/pins/pin-project.ts';
import { reviewProject, type ProjectReview } from '../../mcp/pins/review-project.ts';
import { openRoot } from '../../workspace/open-root.ts';
import { openDatabase } from '../database.ts';

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
  /** Whether its own configuration may permit something, and not only forbid. */
  trusted: z.int().transform((value) => value !== 0),
});
export type Project = z.infer<typeof Project>;

/** The name that a folder is listed under; one that is gone keeps the name as it is given. */
function rootOf(folder: string): string {
  const given = resolve(folder);
  return existsSync(given) ? realpathSync(given) : given;
}

/** The folders that a person named as projects. */
export class Projects implements Disposable {
  /** The name that a damaged list was given when this one was opened. */
  readonly setAside: string | undefined;
  readonly #database: DatabaseSync;
  readonly #stateFolder: string;

  private constructor(stateFolder: string) {
    const { database, setAside } = openDatabase(join(stateFolder, 'projects.db'), SCHEMA);
    this.#database = database;
    this.#stateFolder = stateFolder;
    this.setAside = setAside;
  }

  /** @throws SynapseError `unavailable` where the list cannot be opened or made */
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

  /**
   * Adds a folder; one that is listed already stays as it is.
   * @returns whether it is new
   * @throws SynapseError `not_found`, `wrong_type` or `denied` for a folder that cannot be a workspace
   */
  add(folder: string): boolean {
    openRoot(folder, this.#stateFolder).confinement[Symbol.dispose]();
    const { changes } = this.#database
      .prepare('INSERT INTO project (root, added) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(rootOf(folder), Date.now());
    return changes !== 0;
  }

  /** Takes a folder off the list; its files and records stay. */
  remove(folder: string): void {
    const { changes } = this.#database.prepare('DELETE FROM project WHERE root = ?').run(rootOf(folder));
    if (changes === 0) throw this.#untracked(folder);
  }

  /**
   * Reads what trusting a project would start and let in, for a person to see.
   * @throws SynapseError `denied` for one that is not tracked, `not_found` for one that is gone
   */
  review(folder: string): ProjectReview {
    return reviewProject(this.require(folder).root);
  }

  /**
   * Says whether a project's own configuration may permit something, and name MCP servers.
   * @param review what a person saw of them: that is let in, and nothing that came since. Default: what is there now
   */
  trust(folder: string, trusted = true, review?: ProjectReview): void {
    if (trusted && this.get(folder) !== undefined) pinProject(this.#stateFolder, rootOf(folder), review ?? reviewProject(rootOf(folder)));
    const { changes } = this.#database.prepare('UPDATE project SET trusted = ? WHERE root = ?').run(trusted ? 1 : 0, rootOf(folder));
    if (changes === 0) throw this.#untracked(folder);
  }

  /**
   * Gives the project of a folder.
   * @throws SynapseError `denied` for one that is not tracked, `not_found` for one that is gone
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
    if (this.#database.isOpen) this.#database.close();
  }

  #untracked(folder: string): SynapseError {
    const damaged = this.setAside === undefined ? '' : ` The list of projects was damaged and moved to ${this.setAside}; this is a new one.`;
    return new SynapseError('denied', 'Project not tracked. Only tracked projects can be accessed.', {
      hint: `A person can add it: synapse projects add ${resolve(folder)} (library: tracked: "add").${damaged}`,
    });
  }
}
