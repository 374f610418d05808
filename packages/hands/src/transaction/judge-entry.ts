import { readlinkSync } from 'node:fs';
import type { DangerJudge } from '../danger/danger-judge.ts';
import { leadsInside } from './leads-inside.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import type { LeftoverReason } from '../quarantine/take-away.ts';
import { displayName, type Name, nameFromBytes } from '../workspace/byte-name.ts';
import type { TreeCursor } from '../workspace/tree-cursor.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { bytePath } from '../workspace/workspace-path.ts';

/** The checks for the changes of a command. */
export interface EntryJudge {
  readonly guards: Pick<PlaceGuards, 'denied' | 'opens' | 'approved'>;
  readonly danger: DangerJudge;
  /** The real path of the workspace. */
  readonly root: string;
}

/** The entry to judge. */
interface Entry {
  /** The folder that contains it; undefined if it was deleted. */
  readonly upper?: TreeCursor;
  readonly isLink?: boolean;
  readonly isFolder?: boolean;
  /** Whether it is a hidden file that moved along with its folder. */
  readonly isTaken?: boolean;
}

/** The verdict on an entry: withheld from the workspace, or applied with a notice. */
export interface Judgement {
  readonly withheld?: { readonly reason: LeftoverReason; readonly detail: string };
  readonly caution?: string;
}

/**
 * Judges an entry that a command created, changed or deleted: by the rules, and by whether another program would execute it.
 * The only place in transactions that uses the detector of dangerous files.
 */
export function judgeEntry(
  { guards, danger, root }: EntryJudge,
  location: WorkspacePath,
  { upper, isLink = false, isFolder = false, isTaken = false }: Entry = {},
): Judgement {
  // As for move_path: a file that was hidden under its old name too may get a name that is denied to read.
  const denied = guards.denied(location, upper === undefined || isTaken ? 'delete' : 'change');
  if (denied !== undefined) return { withheld: { reason: 'denied', detail: denied } };
  const found = danger.judge(bytePath(location));
  const isOpen = (): boolean => guards.opens(location) || guards.approved(location, isFolder, found?.reason);
  if (found?.verdict === 'quarantine') return isOpen() ? {} : { withheld: { reason: found.reason, detail: found.detail } };
  if (found !== undefined) return { caution: found.reason === 'instructions' ? `is ${found.detail}` : `is for other programs: ${found.detail}` };
  const name = location.at(-1);
  const link = upper === undefined || name === undefined || !isLink ? undefined : linkOut(upper, name, root);
  return link === undefined ? {} : { caution: link };
}

/** Whether an entry is withheld for what it is to other programs, although it may have come with a commit. */
export const mayBeBrought = ({ reason }: { readonly reason: string }): boolean => reason === 'protected' || reason === 'named-by-git';

/** Reports a link out of the workspace, which programs outside a sandbox follow. Only a notice, because virtual environments use such links. */
function linkOut(upper: TreeCursor, name: Name, root: string): string | undefined {
  const target = nameFromBytes(readlinkSync(upper.at(name), 'buffer'));
  return leadsInside([...upper.location, name], target, root) ? undefined : `is a link that leads out of the workspace, to ${displayName(target)}`;
}
