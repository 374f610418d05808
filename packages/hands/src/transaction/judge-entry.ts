import { readlinkSync } from 'node:fs';
import type { DangerJudge } from '../danger/danger-judge.ts';
import { leadsInside } from '../dry-run/leads-inside.ts';
import type { PlaceGuards } from '../policy/call-guards.ts';
import type { LeftoverReason } from '../sandbox/command-sweep.ts';
import { displayName, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import { bytePath } from '../workspace/byte-path.ts';
import type { TreeCursor } from '../workspace/tree-cursor.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** What an entry of a command's changes is judged with. */
export interface EntryJudge {
  readonly guards: Pick<PlaceGuards, 'denied' | 'opens'>;
  readonly danger: DangerJudge;
  /** The real path of the workspace. */
  readonly root: string;
}

/** What is made of an entry: kept from the workspace, or applied with something to know about it. */
export interface Judgement {
  readonly withheld?: { readonly reason: LeftoverReason; readonly detail: string };
  readonly caution?: string;
}

/**
 * Judges one entry that a command made, changed or deleted: by the rules, and by what another program would do with it.
 * The one place where transactions meet the detector of dangerous places.
 */
export function judgeEntry({ guards, danger, root }: EntryJudge, location: WorkspacePath, upper?: TreeCursor): Judgement {
  const denied = guards.denied(location);
  if (denied !== undefined) return { withheld: { reason: 'denied', detail: denied } };
  const found = danger.judge(bytePath(location));
  if (found?.verdict === 'quarantine') return guards.opens(location) ? {} : { withheld: { reason: found.reason, detail: found.detail } };
  if (found !== undefined) return { caution: found.reason === 'instructions' ? `is ${found.detail}` : `is for other programs: ${found.detail}` };
  const name = location.at(-1);
  const link = upper === undefined || name === undefined ? undefined : linkOut(upper, name, root);
  return link === undefined ? {} : { caution: link };
}

/** Programs outside a sandbox follow it; a virtual environment is made of such links. */
function linkOut(upper: TreeCursor, name: Name, root: string): string | undefined {
  if (upper.stat(name)?.isSymbolicLink() !== true) return undefined;
  const target = nameFromBytes(readlinkSync(upper.at(name), 'buffer'));
  return leadsInside([...upper.location, name], target, root) ? undefined : `is a link that leads out of the workspace, to ${displayName(target)}`;
}
