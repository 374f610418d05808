import { mkdirSync, openSync, closeSync, fsyncSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { Grant } from './grant.ts';
import type { GrantStore, LoadedGrants } from './policy-store.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { ExclusiveLock } from '../state/exclusive-lock.ts';
import { workspaceId } from '../state/state-folder.ts';

/** Maximum size of the file, in characters. A grant has a line or two; a longer file is not from Synapse. */
const MAX_CHARACTERS = 1024 * 1024;

const STORED = z.strictObject({
  version: z.literal(1),
  workspace: z.string(),
  grants: z.array(
    z.strictObject({
      tool: z.string(),
      rules: z.array(z.string()),
      grantedAt: z.number(),
      // A grant that never expires can only come from an attacker.
      expiresAt: z.number(),
    }),
  ),
});

type Stored = z.infer<typeof STORED>;

function parse(text: string, root: string): Stored | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  try {
    const { success, data } = STORED.safeParse(JSON.parse(text));
    return success && data.workspace === root ? data : undefined;
  } catch {
    // Not JSON: the caller reports the file as damaged.
    return undefined;
  }
}

/** Replaces a file atomically: readers see the old or the new text, also after a crash. */
function replace(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

/** The saved approvals of a workspace: one file for each workspace, readable only by its owner. */
export class GrantFile implements GrantStore {
  readonly #root: string;
  readonly #folder: string;
  readonly #path: string;

  constructor(stateFolder: string, root: string) {
    this.#root = root;
    this.#folder = join(stateFolder, 'grants');
    this.#path = join(this.#folder, `${workspaceId(root)}.json`);
  }

  version(): string {
    const stat = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? '' : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
  }

  load(now: number): LoadedGrants {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return { grants: [] };
      return { grants: [], notice: `The saved approvals cannot be read (${errnoOf(error) ?? 'unknown'}): none of them counts.` };
    }
    const stored = parse(text, this.#root);
    if (stored === undefined) return { grants: [], notice: this.#setAside() };
    return { grants: stored.grants.filter(({ expiresAt }) => expiresAt > now).map((grant): Grant => ({ scope: 'project', ...grant })) };
  }

  change(now: number, edit: (grants: readonly Grant[]) => readonly Grant[]): LoadedGrants {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      using lock = new ExclusiveLock(join(this.#folder, 'lock'));
      return lock.hold(() => {
        const { grants: before, notice } = this.load(now);
        const grants = edit(before);
        const stored: Stored = {
          version: 1,
          workspace: this.#root,
          grants: grants.flatMap(({ tool, rules, grantedAt, expiresAt }) =>
            expiresAt === undefined ? [] : [{ tool, rules: [...rules], grantedAt, expiresAt }],
          ),
        };
        replace(this.#path, `${JSON.stringify(stored, null, 2)}\n`);
        return { grants, ...(notice === undefined ? {} : { notice }) };
      });
    } catch (error) {
      if (error instanceof SynapseError) throw error;
      throw new SynapseError('unavailable', `The approvals of this project cannot be saved (${errnoOf(error) ?? 'unknown'}).`, { cause: error });
    }
  }

  /** Moves a damaged file away for inspection. It is never overwritten. */
  #setAside(): string {
    const kept = `${this.#path}.damaged-${Date.now()}-${randomBytes(3).toString('hex')}`;
    try {
      renameSync(this.#path, kept);
      return `The saved approvals of this project were damaged, so none of them counts. The file was moved to ${kept}.`;
    } catch (error) {
      // Another process already moved it; if moving fails, the damage is reported again next time.
      return `The saved approvals of this project are damaged, so none of them counts (${errnoOf(error) ?? 'unknown'}).`;
    }
  }
}
