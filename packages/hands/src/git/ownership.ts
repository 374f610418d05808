import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { ConfigEntry } from './git-config.ts';
import { realPathOf, type GitFolders } from './git-folder.ts';
import { isUserSetting } from './safe-config.ts';

/** Users whose files git takes for one's own: the effective one and, for root, whoever called sudo. */
function ownUsers(): ReadonlySet<number> {
  const users = new Set<number>();
  const effective = process.geteuid?.();
  if (effective !== undefined) users.add(effective);
  const caller = Number(process.env['SUDO_UID'] ?? Number.NaN);
  if (effective === 0 && Number.isInteger(caller)) users.add(caller);
  return users;
}

function realOrAsIs(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A folder that is not there cannot be the repository either way.
    return path;
  }
}

/**
 * Whether the person told git to trust a folder. The repository's own word does not count.
 * @param safeDirectories values of `safe.directory`, in order; an empty one takes all before it back
 */
export function isTrusted(folder: string, safeDirectories: readonly string[]): boolean {
  let trusted = false;
  for (const value of safeDirectories) {
    if (value === '') trusted = false;
    else if (value === '*') trusted = true;
    else {
      const expanded = value.startsWith('~/') ? join(homedir(), value.slice(2)) : value;
      if (expanded.endsWith('/*')) trusted ||= folder.startsWith(`${realOrAsIs(expanded.slice(0, -2))}/`);
      else trusted ||= realOrAsIs(expanded) === folder;
    }
  }
  return trusted;
}

/** Refuses a repository of another user, as git does; the trust is the person's to give, never ours. */
export function assertOwned(root: PinnedDirectory, folders: GitFolders, settings: readonly ConfigEntry[]): void {
  const users = ownUsers();
  if (users.size === 0) return;
  const owners = [lstatSync(root.self), lstatSync(root.at('.git')), lstatSync(folders.own.self)].map(({ uid }) => uid);
  if (owners.every((uid) => users.has(uid))) return;
  const values = settings.filter((entry) => isUserSetting(entry) && entry.key === 'safe.directory');
  if (
    isTrusted(
      realPathOf(root),
      values.map(({ value = '' }) => Buffer.from(value, 'latin1').toString('utf8')),
    )
  )
    return;
  throw new SynapseError('denied', 'The repository belongs to another user of this machine, so git does not trust it.', {
    hint: 'A person who trusts it can say so with: git config --global --add safe.directory <its path>',
  });
}
