import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainValue, readSettings } from '../danger/git-settings.ts';
import type { LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import type { ReadChanges } from './planned-entry.ts';

/** Settings of how git reads a repository. Another value makes git refuse all of its worktrees, or take them for none. */
const SHAPE: ReadonlySet<string> = new Set(['core.bare', 'core.repositoryformatversion', 'extensions.objectformat', 'extensions.refstorage']);
/** What says the same as no setting, and the version that `git sparse-checkout` needs. */
const USUAL = /^(?:core\.bare=(?:false|no|off|0|)|core\.repositoryformatversion=[01]|extensions\.(?:objectformat=sha1|refstorage=files))$/u;

/** A configuration of git is much smaller. */
const MAX_BYTES = 1_048_576n;

/** The unusual ones among these settings. */
function shapeOf(file: string): string[] {
  const { settings } = readSettings(readFileSync(file, 'utf8'));
  const shape = settings.flatMap(({ name, value }) => (SHAPE.has(name) ? [`${name}=${plainValue(value).toLowerCase()}`] : []));
  return shape.filter((setting) => !USUAL.test(setting));
}

/** Withholds settings of a repository outside that would keep its other worktrees from working. */
export function keepSettings(read: ReadChanges, linked: LinkedWorktree | undefined, upper: string): ReadChanges {
  const location = ['.git', 'config'];
  const path = location.join('/');
  const change = read.changes.find((one) => one.location.join('/') === path);
  if (linked === undefined || change?.now?.isFile() !== true) return read;
  const before = change.before?.isFile() === true && change.before.size <= MAX_BYTES ? shapeOf(join(linked.repository, 'config')) : [];
  const isLarge = change.now.size > MAX_BYTES;
  const added = isLarge ? 'what is too large to be read' : shapeOf(join(upper, path)).find((setting) => !before.includes(setting));
  if (added === undefined) return read;
  const note = { path, location, reason: 'denied', detail: `${added} would hold for all worktrees of the repository`, isThere: true } as const;
  return { ...read, changes: read.changes.filter((one) => one !== change), withheld: [...read.withheld, note] };
}
