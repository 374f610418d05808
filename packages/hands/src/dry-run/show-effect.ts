import { isSynapseError } from '@synapse/protocol';
import type { StepPowers } from '../journal/apply-step.ts';
import { netChanges, type NetChange } from '../journal/net-changes.ts';
import type { FoldedFolder } from '../meaning/install-sentences.ts';
import { showChange, type ShownChange } from '../journal/show-changes.ts';
import { count } from '../text/amounts.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { parseWorkspacePath } from '../workspace/workspace-path.ts';
import type { Effect, OmittedChange } from './effect.ts';
import { type DiffLines, diffLines } from './diff-lines.ts';

/** Maximum number of changes that are listed. */
const MAX_SHOWN = 500;
/** Maximum length of all diffs together, and of one diff, in characters. */
const MAX_DIFFS = 200_000;
const MAX_DIFF = 40_000;

/** One change that a call would make. */
export interface EffectChange extends Omit<ShownChange, 'current'> {
  /** Numbers of lines that the whole diff adds and removes; undefined if none of it was cut off. */
  readonly lines?: DiffLines;
}

/** An effect in readable form. */
export interface ShownEffect {
  /** What the changes mean, one sentence each: `creates branch x`. Undefined if only the changes are known. */
  readonly meaning?: readonly string[];
  readonly changes: readonly EffectChange[];
  /** Paths of changes that a question is about by name, because other programs execute or obey them. */
  readonly asked?: readonly string[];
  /** What happened to the commits, branches and tags of repositories, one line each. Undefined if it is not known. */
  readonly repositories?: readonly string[];
  /** Folders of packages and of output whose changes are only counted. */
  readonly folded?: readonly FoldedFolder[];
  /** Number of changes that are not listed. */
  readonly more: number;
  readonly omitted: readonly OmittedChange[];
  readonly cautions: readonly string[];
  readonly blocked?: string;
}

/** Number of changes of an effect, with those that are only counted. */
export function countEffect({ changes, folded = [], more }: Pick<ShownEffect, 'changes' | 'folded' | 'more'>): number {
  return folded.reduce((sum, { files }) => sum + files, changes.length + more);
}

/** Maximum number of changes that are shown in the order of their paths. */
const FEW = 50;

/** Among many new files, a change of what was there before would not be noticed, or not even be listed: then such changes come first. */
const inOrder = (net: readonly NetChange[]): readonly NetChange[] =>
  net.length <= FEW ? net : net.toSorted((one, other) => Number(one.before === null) - Number(other.before === null));

/**
 * Describes an effect in text and diffs.
 *
 * @param mayRead throws if the reader may not see the content of a path
 * @param isByCommand whether a command made the new entries: their content may come from files that the reader may not see
 */
export async function showEffect(
  effect: Effect,
  powers: StepPowers,
  mayRead: (place: WorkspacePath) => void,
  isByCommand = false,
): Promise<ShownEffect> {
  const net = inOrder(netChanges([effect]));
  const changes: EffectChange[] = [];
  let room = MAX_DIFFS;
  for (const change of net.slice(0, MAX_SHOWN)) {
    const shown = await shownOne(change, powers, mayRead, isByCommand);
    const diff = shown.diff === undefined ? undefined : cut(shown.diff, Math.min(MAX_DIFF, room));
    room -= diff?.length ?? 0;
    const lines = diff === undefined || diff === shown.diff ? {} : { lines: diffLines(shown.diff ?? '') };
    changes.push(diff === undefined ? shown : { ...shown, diff, ...lines });
  }
  return {
    changes,
    more: Math.max(0, net.length - MAX_SHOWN),
    omitted: effect.omitted.slice(0, MAX_SHOWN),
    cautions: effect.cautions.slice(0, MAX_SHOWN),
    ...(effect.blocked === undefined ? {} : { blocked: effect.blocked }),
  };
}

async function shownOne(change: NetChange, powers: StepPowers, mayRead: (place: WorkspacePath) => void, isByCommand: boolean): Promise<EffectChange> {
  const { current: _, ...shown } = await showChange(powers, change);
  const secret = change.before === null && !isByCommand ? undefined : unreadable(change.from ?? change.path, mayRead);
  const { diff, note, ...facts } = shown;
  if (secret !== undefined) return { ...facts, note: note === undefined ? secret : `${note}; ${secret}` };
  return {
    ...facts,
    ...(note === undefined ? {} : { note }),
    ...(diff === undefined || /^---[^\n]*\n\+\+\+[^\n]*\n$/u.test(diff) ? {} : { diff }),
  };
}

/** Returns a note if the content of a path must not be read, which a diff would show; undefined if it may be read. */
function unreadable(path: string, mayRead: (place: WorkspacePath) => void): string | undefined {
  try {
    mayRead(parseWorkspacePath(path, []));
    return undefined;
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return 'not shown, as reading it is not allowed';
  }
}

function cut(diff: string, room: number): string {
  if (diff.length <= room) return diff;
  const end = diff.lastIndexOf('\n', room) + 1;
  const rest = diff.slice(end).split('\n').length - 1;
  return `${diff.slice(0, end)}… ${count(rest, 'more line')} of the diff\n`;
}

const LETTER: Record<EffectChange['kind'], string> = { created: 'create', changed: 'change', deleted: 'delete', moved: 'move' };

/** Formats a change as one line. */
export function changeLine({ kind, path, from, note }: EffectChange): string {
  return `${LETTER[kind]} ${from === undefined ? '' : `${from} → `}${path}${note === undefined ? '' : ` (${note})`}`;
}

/** Returns notes in addition to the changes, one per line. */
export function effectNotes({ more, omitted, cautions }: ShownEffect): string[] {
  return [
    ...(more === 0 ? [] : [`and ${count(more, 'more change')}`]),
    ...omitted.map(({ path, reason }) => `left out: ${path} (${reason})`),
    ...cautions.map((caution) => `note: ${caution}`),
  ];
}
