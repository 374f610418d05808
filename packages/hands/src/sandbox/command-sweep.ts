import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { dangerousSettings } from './git-config-danger.ts';
import type { Finding, Survey } from './workspace-index.ts';

/** A configuration of more bytes is taken for dangerous and not read. */
const MAX_CONFIG_BYTES = 1024 * 1024;
/** The clock of files is behind ours by up to a tick of the kernel, in milliseconds. */
const CLOCK_SLACK_MS = 20;
/** Names whose readers take orders from them at once, and only at the top of a workspace: those of agents. */
const ORDERS = new Set(['.mcp.json', '.claude', '.codex', '.cursor', '.gemini', '.opencode', 'opencode.json', 'opencode.jsonc', '.synapse']);

/** Why something that a command made is dangerous. */
export type LeftoverReason = 'git-hook' | 'git-config' | 'git-pointer' | 'agent-orders' | 'protected';

/** Something that a command made or changed, and that another program would execute or take orders from. */
export interface Leftover {
  /** Relative to the root; one character stands for one byte (latin1). */
  readonly path: string;
  readonly reason: LeftoverReason;
  /** What was found in it, such as the names of settings. */
  readonly detail: string;
  /** Whether it must go: where not, it is only told. */
  readonly remove: boolean;
}

/** What was there before a command, and since when it ran. */
export interface Before {
  readonly survey: Survey;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * What a command left that would be executed later: hooks, settings and pointers of any repository, new ones too
 * (`git init sub` is harmless by itself, a hook in it is not). Judged by ctime, which no program can set, or wholly
 * where the repository is new: its parts may be older and only moved there.
 */
export function leftovers(root: PinnedDirectory, before: Before, after: Survey): Leftover[] {
  const known = new Set(before.survey.findings.map(identity));
  const since = before.startedAt - CLOCK_SLACK_MS;
  return after.findings.flatMap((finding): Leftover[] => {
    const place = new Place(root, finding.path);
    const isNew = !known.has(identity(finding));
    switch (finding.kind) {
      case 'git-folder':
        return gitLeftovers(place, isNew ? 0 : since);
      case 'git-pointer':
        return (isNew || place.changedSince(since)) && !isUsualPointer(place) ? [left(place, 'git-pointer', 'leads git to another folder')] : [];
      case 'protected': {
        if (!isNew && !place.changedSince(since)) return [];
        const orders = ORDERS.has(finding.path.toLowerCase());
        return [{ ...left(place, orders ? 'agent-orders' : 'protected', 'is read by another program'), remove: orders && isNew }];
      }
      case 'denied':
      case 'socket':
        return [];
    }
  });
}

const identity = ({ kind, path, inode }: Finding): string => `${kind}:${inode}:${path}`;

const left = ({ path }: Place, reason: LeftoverReason, detail: string): Leftover => ({ path, reason, detail, remove: true });

/** A place below the root, looked at by its name; whatever follows acts by handle. */
class Place {
  readonly path: string;
  readonly #root: PinnedDirectory;

  constructor(root: PinnedDirectory, path: string) {
    this.#root = root;
    this.path = path;
  }

  get at(): Buffer {
    return Buffer.from(`${this.#root.self}/${this.path}`, 'latin1');
  }

  get stat(): ReturnType<typeof lstatSync> | undefined {
    return lstatSync(this.at, { throwIfNoEntry: false });
  }

  below(name: string): Place {
    return new Place(this.#root, `${this.path}/${name}`);
  }

  changedSince(time: number): boolean {
    return Number(this.stat?.ctimeMs ?? -1) >= time;
  }

  /** The text of a small regular file; undefined for anything else. */
  text(): string | undefined {
    const { stat } = this;
    if (stat === undefined || !stat.isFile() || stat.size > MAX_CONFIG_BYTES) return undefined;
    try {
      return readFileSync(this.at, 'utf8');
    } catch {
      // What cannot be read cannot be found harmless.
      return undefined;
    }
  }

  names(): string[] {
    try {
      return readdirSync(this.at, { encoding: 'latin1' });
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
      throw error;
    }
  }
}

function gitLeftovers(folder: Place, since: number): Leftover[] {
  return [
    ...['config', 'config.worktree'].flatMap((name) => configLeftover(folder.below(name), since)),
    ...hookLeftovers(folder.below('hooks'), since),
    ...commonFolderLeftover(folder.below('commondir'), since),
  ];
}

function configLeftover(config: Place, since: number): Leftover[] {
  if (!config.changedSince(since)) return [];
  const text = config.text();
  const found = text === undefined ? ['unreadable'] : dangerousSettings(text);
  return found.length === 0 ? [] : [left(config, 'git-config', found.join(', '))];
}

function hookLeftovers(hooks: Place, since: number): Leftover[] {
  const { stat } = hooks;
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return hooks.changedSince(since) ? [left(hooks, 'git-hook', 'stands in for the folder of hooks')] : [];
  // A folder moved here keeps the times of what is in it.
  const all = hooks.changedSince(since);
  return hooks
    .names()
    .filter((name) => !name.endsWith('.sample'))
    .map((name) => hooks.below(name))
    .filter((hook) => all || hook.changedSince(since))
    .map((hook) => left(hook, 'git-hook', 'git runs it'));
}

function commonFolderLeftover(pointer: Place, since: number): Leftover[] {
  if (!pointer.changedSince(since) || pointer.text()?.trim() === '../..') return [];
  return [left(pointer, 'git-pointer', 'takes settings and hooks from another folder')];
}

/** What `git submodule` and `git worktree` write: a relative path into the modules of the repository above. */
function isUsualPointer(pointer: Place): boolean {
  const target = /^gitdir: (?<path>.+)$/u.exec(pointer.text()?.trim() ?? '')?.groups?.['path'];
  if (target === undefined) return false;
  const depth = pointer.path.split('/').length - 1;
  const up = /^(?:\.\.\/)*/u.exec(target)?.[0].length ?? 0;
  // Not further up than to the root, and from there straight into `.git/modules`, where folders are judged like any other.
  return up / 3 <= depth && /^\.git\/modules\/(?!.*(?:^|\/)\.\.(?:\/|$))/u.test(target.slice(up));
}
