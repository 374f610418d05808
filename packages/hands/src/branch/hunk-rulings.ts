import { hash } from 'node:crypto';
import { SynapseError } from '@synapse/protocol';
import { diffOf } from '../journal/show-changes.ts';
import { looksBinary } from '../text/detect-encoding.ts';
import { count } from '../text/amounts.ts';
import { repositoryOf } from '../transaction/plan-changes.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { contentAt, MAX_MERGED_BYTES } from './base-log.ts';
import { plain } from './choose-changes.ts';
import { hunksIn, takeHunks, type Hunk } from './hunks.ts';
import type { MixedFile, Ruling } from './rule-changes.ts';

/** Hunks of a file that are applied, without the others. */
export interface HunkChoice {
  readonly path: string;
  /** Their numbers, from 1, in the order of the diff. */
  readonly take: readonly number[];
  /** Their texts as the diff showed them, from `@@` on. If they are other ones by now, nothing is applied. */
  readonly seen?: readonly string[];
}

interface Sides {
  readonly confinement: Confinement;
  /** The text of a hunk as it was shown. */
  readonly shown: (text: string) => string;
  /** The upper layer of the branch. */
  readonly upper: string;
}

const MODE_BITS = 0o777n;

/** Permissions as a file that Synapse makes has them. */
const modeOf = ({ mode }: { readonly mode: bigint }): number => Number(mode & MODE_BITS);

/** Limits what is applied of some files to chosen hunks. */
export async function limitToHunks(
  { confinement, upper, shown }: Sides,
  rulings: ReadonlyMap<PlannedEntry, Ruling>,
  choices: readonly HunkChoice[],
): Promise<ReadonlyMap<PlannedEntry, Ruling>> {
  using own = new HandleConfinement(upper);
  const limited = new Map(rulings);
  for (const choice of choices) {
    const [path = ''] = plain([choice.path]);
    const found = [...rulings].find(([change]) => change.path === path);
    if (found === undefined) throw refused(path, 'it is a folder');
    const [change, ruling] = found;
    const why = whyNot(change, ruling);
    if (why !== undefined) throw refused(path, why);
    limited.set(change, await limit({ confinement, upper: own, shown }, change, ruling, { ...choice, path }));
  }
  return limited;
}

const refused = (path: string, why: string): SynapseError =>
  new SynapseError('wrong_type', `${path} cannot be applied by hunk: ${why}.`, { hint: 'Apply it as a whole, or change it in the branch.' });

/** Why hunks of a change cannot be chosen; undefined if they can. */
function whyNot({ location, before, now }: PlannedEntry, { kind }: Ruling): string | undefined {
  if (kind === 'conflict')
    return 'the branch and the workspace changed the same of it, so that a version must be chosen first (synapse branch resolve)';
  if (kind === 'workspace') return 'the workspace has it already';
  if (before === undefined) return 'it is new';
  if (now === undefined) return 'it is deleted';
  if (!before.isFile() || !now.isFile()) return 'it is no file';
  if (repositoryOf(location) !== undefined) return 'the files of a repository have a meaning together';
  return before.size > MAX_MERGED_BYTES || now.size > MAX_MERGED_BYTES ? 'it has more than 2 MB' : undefined;
}

async function limit(
  sides: Pick<Sides, 'confinement' | 'shown'> & { readonly upper: Confinement },
  change: PlannedEntry,
  ruling: Ruling,
  { path, ...choice }: HunkChoice,
): Promise<Ruling> {
  const { before, now } = change;
  if (before === undefined || now === undefined) return ruling;
  const old = bytesAt(sides.confinement, change, before);
  const whole = ruling.kind === 'mixed' ? ruling.bytes : bytesAt(sides.upper, change, now);
  const mode = ruling.kind === 'mixed' ? ruling.mode : modeOf(now);
  const [from, to] = [textOf(path, old), textOf(path, whole)];
  const diff = await diffOf(from, to, ['a', 'b']);
  if (diff === undefined) throw refused(path, 'its versions are too different to be compared');
  const hunks = chosen(hunksIn(diff), path, choice, sides.shown);
  const bytes = Buffer.from(takeHunks(from, to, hunks));
  if (bytes.equals(whole) && mode === modeOf(before)) return ruling;
  const rest: MixedFile['rest'] = { now: ruling.kind === 'mixed' ? { bytes: whole, mode } : 'own', over: hash('sha256', old) };
  return { kind: 'mixed', bytes, mode: modeOf(before), expected: { changed: before.ctimeNs }, rest };
}

function bytesAt(side: Confinement, { path, location }: PlannedEntry, stat: NonNullable<PlannedEntry['now']>): Buffer {
  using folder = side.openDirectory(location.slice(0, -1));
  const found = contentAt(folder, location.at(-1) ?? '', location, stat);
  if (found?.bytes === undefined) throw new SynapseError('conflict', `Something else changes ${path} right now.`, { hint: 'Look at it again.' });
  return found.bytes;
}

/** The text, if the diff shows each of its bytes. */
function textOf(path: string, bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (looksBinary(bytes) || !Buffer.from(text).equals(bytes)) throw refused(path, 'it is no text in UTF-8');
  return text;
}

function chosen(hunks: readonly Hunk[], path: string, { take, seen }: Omit<HunkChoice, 'path'>, shown: Sides['shown']): Hunk[] {
  if (hunks.length === 0) throw refused(path, 'only its permissions change');
  const numbers = [...new Set(take)];
  const found = numbers.flatMap((number) => hunks[number - 1] ?? []);
  if (seen !== undefined && (seen.length !== numbers.length || numbers.some((number) => !seen.includes(shown(hunks[number - 1]?.text ?? '')))))
    throw new SynapseError('conflict', `${path} was changed since you looked at it, so nothing was applied.`, {
      hint: 'Look at the difference again.',
    });
  const missing = numbers.find((number) => hunks[number - 1] === undefined);
  if (missing === undefined && found.length > 0) return found;
  const none = missing === undefined ? '' : `, so none with the number ${missing}`;
  throw new SynapseError('invalid_arguments', `${path} has ${count(hunks.length, 'hunk')}${none}.`, {
    hint: 'synapse branch diff <name> <path> numbers them.',
  });
}
