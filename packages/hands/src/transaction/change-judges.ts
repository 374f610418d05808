import { chmodSync, readlinkSync, unlinkSync } from 'node:fs';
import type { DangerJudge } from '../danger/danger-judge.ts';
import type { DangerReason } from '../danger/executable-git-config.ts';
import { buildFolder } from '../policy/tool-folders.ts';
import type { LeftoverReason } from '../quarantine/take-away.ts';
import { displayName, displayPath, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { bytePath, isInside, type WorkspacePath } from '../workspace/workspace-path.ts';
import { hasSameContent, hasSamePermissions, isUnchanged, isWhiteout, PERMISSIONS, type ChangeEntry, type LostContent } from './change-entry.ts';
import type { HiddenPlaces } from './hidden-layer.ts';
import { falseObject, isFalseGraph, isPacksIndex, type ObjectChecks } from './changed-objects.ts';
import { pinnedIn } from './moved-hidden.ts';
import { posix } from 'node:path';

/** What judges know of the command and the workspace. */
export interface JudgeParts extends ObjectChecks {
  readonly guards: Pick<PlaceGuards, 'denied' | 'opens' | 'approved'>;
  readonly danger: Pick<DangerJudge, 'judge'>;
  /** The real path of the workspace. */
  readonly root: string;
  /** The places that were hidden from the command. */
  readonly hidden: HiddenPlaces;
  /** Hidden files that are not deleted because their new name would reveal them, with that name. */
  readonly pinned: ReadonlyMap<string, WorkspacePath>;
  /** New names of hidden files that moved along with their folder. */
  readonly relocated: ReadonlySet<string>;
  /**
   * Whether the command saw build output of earlier ones above the workspace: it can have deleted what the workspace does not contain.
   * `drop`: the marks of that are removed, as the changes wait without that output.
   */
  readonly outputs: 'none' | 'shown' | 'drop';
  /** Measures what the workspace loses with an entry, once. */
  readonly lost: (entry: ChangeEntry) => Promise<LostContent>;
  /** Adds a notice about an entry that is applied. */
  readonly caution: (entry: ChangeEntry, says: string) => void;
}

/** What a judge decides: the entry is no change, only its content can be changed, or it must not reach the workspace. */
export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'content' }
  | { readonly kind: 'withheld'; readonly reason: LeftoverReason | 'special-file'; readonly detail: string };

/** A check of one entry. The first verdict counts; without any, the entry is applied. */
export interface Judge {
  readonly name: string;
  readonly judge: (entry: ChangeEntry, parts: JudgeParts) => Verdict | undefined | Promise<Verdict | undefined>;
}

const SET_ID = 0o6000n;
const SAME: Verdict = { kind: 'same' };
const CONTENT: Verdict = { kind: 'content' };
const denies = (detail: string): Verdict => ({ kind: 'withheld', reason: 'denied', detail });
const isSpecial = ({ now }: ChangeEntry): boolean => !now.isFile() && !now.isDirectory() && !now.isSymbolicLink();

/** Pipes, sockets and devices, among them the sockets that stand for hidden files. */
function judgeSpecial(entry: ChangeEntry, { hidden }: JudgeParts): Verdict | undefined {
  if (!isSpecial(entry)) return undefined;
  const { location, now, isBeside } = entry;
  const special = (detail: string): Verdict => ({ kind: 'withheld', reason: 'special-file', detail });
  const real = hidden.behind(now);
  if (real === undefined) return special('a pipe, a socket or a device');
  const isInPlace = isBeside && bytePath(real) === bytePath(location);
  // Copied up with its folder, or through a hard link: it did not change.
  if (isInPlace && (now.mode & PERMISSIONS) === 0n) return SAME;
  if (isInPlace) return special('hidden from commands, so its permissions stay');
  return special(`${displayPath(real)} is hidden from commands, so they cannot copy it`);
}

/** A path with a hidden file is not deleted where the file would then be visible under another name. */
function judgePinned({ location }: ChangeEntry, { pinned }: JudgeParts): Verdict | undefined {
  const stays = pinned.size === 0 ? undefined : pinnedIn(pinned, location);
  return stays === undefined ? undefined : denies(`${stays.path} is hidden from commands, and would not be as ${stays.to}`);
}

/** A folder that contains something that must not be deleted. */
async function judgeLost(entry: ChangeEntry, { lost }: JudgeParts): Promise<Verdict | undefined> {
  const { denied } = await lost(entry);
  return denied === undefined ? undefined : denies(denied);
}

/** The rules of the person. As for move_path, a file that was hidden under its old name too may get a name that is denied to read. */
function judgeRules(entry: ChangeEntry, parts: JudgeParts): Verdict | undefined {
  const isWritten = !isWhiteout(entry.now) && !parts.relocated.has(bytePath(entry.location));
  const denied = parts.guards.denied(entry.location, isWritten ? 'change' : 'delete');
  if (denied === undefined) return undefined;
  // What git gc does to the logs of other worktrees: nothing would be lost, so nothing need be said.
  return entry.before?.mode === entry.now.mode && hasSameContent(entry) ? SAME : denies(denied);
}

/** How a notice about settings of git begins. */
export const SETTINGS_CHANGE = 'changes what your next commits and pushes do:';
/** How a notice begins. */
const REPORTED: Partial<Readonly<Record<DangerReason, string>>> = {
  instructions: 'is',
  'git-config': SETTINGS_CHANGE,
};

/** What other programs execute or obey. */
function judgeDanger(entry: ChangeEntry, { danger, guards, caution }: JudgeParts): Verdict | undefined {
  const { location, now } = entry;
  const found = danger.judge(bytePath(location));
  if (found === undefined) return undefined;
  if (found.verdict === 'quarantine') {
    const isOpen = guards.opens(location) || guards.approved(location, now.isDirectory(), found.reason);
    return isOpen ? undefined : { kind: 'withheld', reason: found.reason, detail: found.detail };
  }
  if (!isWhiteout(now)) caution(entry, `${REPORTED[found.reason] ?? 'is for other programs:'} ${found.detail}`);
  return undefined;
}

/** A link out of the workspace, which programs outside a sandbox follow. Only a notice, because virtual environments use such links. */
function judgeLink(entry: ChangeEntry, { danger, root, caution }: JudgeParts): undefined {
  const { location, name, now, upper } = entry;
  if (!now.isSymbolicLink() || danger.judge(bytePath(location)) !== undefined) return;
  const target = nameFromBytes(readlinkSync(upper.at(name), 'buffer'));
  if (!leadsInside(location, target, root)) caution(entry, `is a link that leads out of the workspace, to ${displayName(target)}`);
}

/** Whether a command deleted build output that only the layer of build output has: the workspace loses nothing. */
function judgeDeletedOutput({ location, name, upper }: ChangeEntry, { outputs }: JudgeParts): Verdict | undefined {
  if (outputs === 'none' || buildFolder(displayPath(location)) === undefined) return undefined;
  if (outputs === 'drop') unlinkSync(upper.at(name));
  return SAME;
}

/** A command must not hand on the rights of a program's owner: the bits are taken away. */
function judgeSetId(entry: ChangeEntry, { caution }: JudgeParts): undefined {
  const { now, name, upper } = entry;
  if (!now.isFile() || (now.mode & SET_ID) === 0n) return;
  chmodSync(upper.at(name), Number(now.mode & 0o777n));
  caution(entry, 'does not get the rights of its owner (set-id bits)');
}

/** An index of several packs stays as it was: a false one shows other objects than those that were committed. */
function judgePacksIndex(entry: ChangeEntry, parts: JudgeParts): Verdict | undefined {
  if (entry.isMerged || !isPacksIndex(entry, parts)) return undefined;
  return entry.isBeside ? SAME : denies('git could show other objects by it, and can make it again');
}

async function judgeObject(entry: ChangeEntry, parts: JudgeParts): Promise<Verdict | undefined> {
  const why = await falseObject(entry, parts);
  return why === undefined ? undefined : denies(why);
}

async function judgeGraph(entry: ChangeEntry, parts: JudgeParts): Promise<Verdict | undefined> {
  return (await isFalseGraph(entry, parts)) ? denies('git could show another history by it than the commits have, and can make it again') : undefined;
}

const RULES: Judge = { name: 'rules', judge: judgeRules };
const DANGER: Judge = { name: 'executed or obeyed by other programs', judge: judgeDanger };
const PINNED: Judge = {
  name: 'hidden files that would be revealed',
  judge: (entry, parts) => (entry.isMerged ? undefined : judgePinned(entry, parts)),
};

/** The judges of a deleted entry of the workspace, in order. */
export const DELETION_JUDGES: readonly Judge[] = [
  RULES,
  DANGER,
  PINNED,
  { name: 'lost content', judge: (entry, parts) => (entry.before?.isDirectory() === true ? judgeLost(entry, parts) : undefined) },
];

/** The judges of an entry that a command created or changed, in order: what cannot be compared, what did not change, what is denied, what is dangerous. */
export const ENTRY_JUDGES: readonly Judge[] = [
  { name: 'deleted build output', judge: (entry, parts) => (isWhiteout(entry.now) ? judgeDeletedOutput(entry, parts) : undefined) },
  { name: 'special files', judge: judgeSpecial },
  {
    name: 'hidden folders',
    judge: ({ isBeside, location }, { hidden }) =>
      isBeside && hidden.kindOf(location) === 'folder' ? denies('it is hidden from commands') : undefined,
  },
  { ...PINNED, judge: (entry, parts) => (entry.before === undefined ? undefined : PINNED.judge(entry, parts)) },
  { name: 'unchanged', judge: (entry) => (isUnchanged(entry) ? SAME : undefined) },
  {
    name: 'lost content',
    judge: (entry, parts) => (!entry.isMerged && entry.before?.isDirectory() === true ? judgeLost(entry, parts) : undefined),
  },
  { name: 'the same folder', judge: (entry) => (entry.isMerged && hasSamePermissions(entry) ? CONTENT : undefined) },
  RULES,
  DANGER,
  { name: 'indexes of several packs of git', judge: judgePacksIndex },
  { name: 'objects of git', judge: judgeObject },
  { name: 'graphs of commits', judge: judgeGraph },
  { name: 'links out of the workspace', judge: judgeLink },
  { name: 'set-id bits', judge: judgeSetId },
];

/** Judges an entry. Returns the first verdict; undefined if it may be applied. */
export async function judgeChange(judges: readonly Judge[], entry: ChangeEntry, parts: JudgeParts): Promise<Verdict | undefined> {
  for (const { judge } of judges) {
    const verdict = judge(entry, parts);
    const decided = verdict instanceof Promise ? await verdict : verdict;
    if (decided !== undefined) return decided;
  }
  return undefined;
}

/** Whether an entry is withheld for what it is to other programs, although it may have come with a commit. */
export const mayBeBrought = ({ reason }: { readonly reason: string }): boolean => reason === 'protected' || reason === 'named-by-git';

/** Whether the text of a link names a path in the workspace. Further links on that path are checked when it is used. */
export function leadsInside(location: WorkspacePath, target: Name, root: string): boolean {
  // Latin-1 keeps one character per byte. Only dots and slashes matter here.
  const text = typeof target === 'string' ? target : target.toString('latin1');
  if (text.startsWith('/')) return isInside(posix.normalize(text), [root]);
  const folder = location.slice(0, -1).map((name) => (typeof name === 'string' ? name : name.toString('latin1')));
  // Relative to the top of the workspace, so a path above it starts with `..`.
  const path = posix.normalize([...folder, text].join('/'));
  return path !== '..' && !path.startsWith('../');
}
