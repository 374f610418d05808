import type { PlaceGuards } from '../policy/call-guards.ts';
import type { Name } from '../workspace/byte-name.ts';
import { foldName } from '../danger/fold-name.ts';
import { protectedPlace } from '../danger/protected-places.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { judgeGit, type Danger, type GitPlace, type Sides } from './judge-git.ts';

/** What an entry of a command's changes is judged with. */
export interface EntryJudge {
  readonly guards: Pick<PlaceGuards, 'denied' | 'opens'>;
}

/** A new or changed entry, with both sides of its folder open. */
export interface JudgedEntry {
  readonly location: WorkspacePath;
  readonly name: Name;
  readonly sides: Sides;
  readonly git: GitPlace | undefined;
}

/** What is made of an entry: kept from the workspace, or applied with something to know about it. */
export interface Judgement {
  readonly withheld?: Danger;
  readonly caution?: string;
}

const FINE: Judgement = {};
/** What packages bring along is started by no editor or agent from there. */
const DEPENDENCIES = new Set(['node_modules', 'vendor', '.venv', 'venv', 'site-packages', 'target']);

/**
 * Judges one entry that a command made or changed: by the rules, and by what another program would do with it.
 * The one place where transactions meet the detector of dangerous places.
 */
export function judgeEntry({ guards }: EntryJudge, { location, name, sides, git }: JudgedEntry): Judgement {
  const denied = guards.denied(location);
  if (denied !== undefined) return { withheld: { reason: 'denied', detail: denied } };
  const danger = judgeGit(sides, name, git) ?? judgeTop(location);
  if (danger !== undefined) return guards.opens(location) ? FINE : { withheld: danger };
  return location.length > 1 ? judgeBelow(location, name) : FINE;
}

/** At the top of the workspace their readers start from it. */
function judgeTop(location: WorkspacePath): Danger | undefined {
  const place = protectedPlace(location.slice(0, 1));
  if (place === undefined || place.names.includes('.git')) return undefined;
  return { reason: 'protected', detail: place.reason };
}

/** Further down they come with projects that are made or cloned. */
function judgeBelow(location: WorkspacePath, name: Name): Judgement {
  const place = protectedPlace([name]);
  if (place === undefined || place.names.includes('.git') || location.some((one) => DEPENDENCIES.has(foldName(one)))) return FINE;
  return { caution: place.reason };
}
