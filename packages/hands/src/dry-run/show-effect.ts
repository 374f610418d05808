import { isSynapseError } from '@synapse/protocol';
import type { StepPowers } from '../journal/apply-step.ts';
import { netChanges, type NetChange } from '../journal/net-changes.ts';
import { showChange, type ShownChange } from '../journal/show-changes.ts';
import { count } from '../text/amounts.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { parseWorkspacePath } from '../workspace/workspace-path.ts';
import type { Effect, OmittedChange } from './effect.ts';

/** Changes that are shown one by one; nobody reads more. */
const MAX_SHOWN = 500;
/** Characters of all diffs together; of one at most a part. */
const MAX_DIFFS = 200_000;
const MAX_DIFF = 40_000;

/** One change that a call would make. */
export type EffectChange = Omit<ShownChange, 'current'>;

/** An effect for somebody to read. */
export interface ShownEffect {
  readonly changes: readonly EffectChange[];
  /** Changes beyond those listed. */
  readonly more: number;
  readonly omitted: readonly OmittedChange[];
  readonly cautions: readonly string[];
  readonly blocked?: string;
}

/** Bits beyond those that a new file or folder has everywhere: that it is run, that others write to it, and the special ones. */
const UNUSUAL = { file: 0o7113, folder: 0o7002 } as const;

/** Permission bits, where they say something that is not seen otherwise. */
function modes({ before, after }: NetChange): string | undefined {
  const octal = (mode: number): string => mode.toString(8).padStart(3, '0');
  const [old, now] = [before, after].map((image) => (image?.type === 'file' || image?.type === 'folder' ? image.mode : null));
  if (now === undefined || now === null || (after?.type !== 'file' && after?.type !== 'folder')) return undefined;
  if (old !== undefined && old !== null) return old === now ? undefined : `mode ${octal(old)} → ${octal(now)}`;
  // Of what had no permissions before, as a link has none, those are told that nobody would expect.
  return (now & UNUSUAL[after.type]) === 0 ? undefined : `mode ${octal(now)}`;
}

/**
 * Puts an effect into words and diffs.
 *
 * @param mayRead throws where the content of a place is not for whoever reads this
 */
export async function showEffect(effect: Effect, powers: StepPowers, mayRead: (place: WorkspacePath) => void): Promise<ShownEffect> {
  const net = netChanges([effect]);
  const changes: EffectChange[] = [];
  let room = MAX_DIFFS;
  for (const change of net.slice(0, MAX_SHOWN)) {
    const shown = await shownOne(change, powers, mayRead);
    const diff = shown.diff === undefined ? undefined : cut(shown.diff, Math.min(MAX_DIFF, room));
    room -= diff?.length ?? 0;
    changes.push(diff === undefined ? shown : { ...shown, diff });
  }
  return {
    changes,
    more: Math.max(0, net.length - MAX_SHOWN),
    omitted: effect.omitted.slice(0, MAX_SHOWN),
    cautions: effect.cautions.slice(0, MAX_SHOWN),
    ...(effect.blocked === undefined ? {} : { blocked: effect.blocked }),
  };
}

async function shownOne(change: NetChange, powers: StepPowers, mayRead: (place: WorkspacePath) => void): Promise<EffectChange> {
  const { current: _, ...shown } = await showChange(powers, change);
  const mode = modes(change);
  const notes = [...(shown.note === undefined ? [] : [shown.note]), ...(mode === undefined ? [] : [mode])];
  const { diff, note: __, ...facts } = shown;
  const secret = change.before === null ? undefined : unreadable(change.from ?? change.path, mayRead);
  if (secret !== undefined) return { ...facts, note: [...notes, secret].join('; ') };
  return {
    ...facts,
    ...(diff === undefined || /^---[^\n]*\n\+\+\+[^\n]*\n$/u.test(diff) ? {} : { diff }),
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  };
}

/** A diff shows what was there: whoever may not read that does not get it by a change either. */
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

/** A change in one line. */
export function changeLine({ kind, path, from, note }: EffectChange): string {
  return `${LETTER[kind]} ${from === undefined ? '' : `${from} → `}${path}${note === undefined ? '' : ` (${note})`}`;
}

/** What there is to say beside the changes, a line each. */
export function effectNotes({ more, omitted, cautions }: ShownEffect): string[] {
  return [
    ...(more === 0 ? [] : [`and ${count(more, 'more change')}`]),
    ...omitted.map(({ path, reason }) => `left out: ${path} (${reason})`),
    ...cautions.map((caution) => `note: ${caution}`),
  ];
}
