import { isDeepStrictEqual } from 'node:util';
import type { ClientSetting } from './client-settings.ts';
import type { ClientDefinition } from './clients.ts';
import type { EntryFormat } from './entry-format.ts';
import type { InstallRecord } from './install-records.ts';
import { listAt, place, placedIn, takeOut, type PlacedSetting } from './placed-settings.ts';
import { revertChange } from './revert.ts';

/** The name of the server in clients. */
export const SERVER_NAME = 'synapse';

/** The change of a command to a configuration file. */
export interface InstallPlan {
  readonly status: 'install' | 'update' | 'remove' | 'unchanged' | 'absent';
  readonly after: string;
  /** The file as if nothing had been installed. */
  readonly original: string;
  /** The new settings in the file, with the values they replace. */
  readonly placed: readonly PlacedSetting[];
}

/** The input of a plan. */
export interface PlanInput {
  readonly format: EntryFormat;
  readonly text: string;
  readonly record: InstallRecord | undefined;
}

type Shapes = Pick<ClientDefinition, 'shapes'>;
type Shape = ClientDefinition['shapes'][number];

/** Where a file has its servers and our entry. */
export function shapeOf({ shapes }: Shapes, { format, text }: PlanInput): { keys: readonly string[]; shape: Shape } {
  const [first, ...more] = shapes;
  const isThere = (keys: readonly string[]): boolean => {
    const value = format.get(text, keys);
    // An entry with the name "servers" is not a list of servers.
    return typeof value === 'object' && value !== null && !('type' in value && typeof value.type === 'string');
  };
  const shape = [first, ...more].find(({ keys }) => isThere(keys)) ?? more.at(-1) ?? first;
  return { keys: [...shape.keys, SERVER_NAME], shape };
}

/** The text without what an installation wrote; undefined if it was changed since. */
function untouched({ format, text, record }: PlanInput, all: ReadonlyArray<readonly string[]>): string | undefined {
  const taken = record === undefined ? undefined : revertChange(text, record.change);
  if (taken === undefined) return undefined;
  try {
    // If others changed the file, removing text could leave something invalid.
    return isDeepStrictEqual(format.without(taken, all), format.without(text, all)) ? taken : undefined;
  } catch {
    // Then remove the entry by its path.
    return undefined;
  }
}

const placedBefore = ({ record }: PlanInput): readonly PlacedSetting[] => record?.settings ?? [];
const keysOf = (settings: ReadonlyArray<{ readonly keys: readonly string[] }>): ReadonlyArray<readonly string[]> => settings.map(({ keys }) => keys);

/**
 * Plans the settings of one file: writes the wanted ones, and removes those of an earlier installation.
 *
 * @param entry the path of the server's entry, in a file that has one
 */
function planSettings(input: PlanInput, settings: readonly ClientSetting[], isThere: boolean, entry?: readonly string[]): InstallPlan {
  const { format, text } = input;
  const before = placedBefore(input);
  const rest = (): string => {
    const taken = takeOut(format, text, before);
    // Without a record, the setting belongs to someone else and is restored on removal.
    return entry === undefined || input.record === undefined ? taken : format.remove(taken, entry);
  };
  const original = isThere ? (untouched(input, [...keysOf(settings), ...keysOf(before)]) ?? rest()) : text;
  const after = settings.reduce((whole, setting) => place(format, whole, setting), original);
  const placed = placedIn(format, original, settings);
  if (isThere && settings.every((setting) => isIn(format, text, setting)) && isDeepStrictEqual(format.get(after, []), format.get(text, [])))
    return { status: 'unchanged', after: text, original, placed };
  return { status: isThere ? 'update' : 'install', after, original, placed };
}

function isIn(format: EntryFormat, text: string, { keys, value, adds, ifAbsent }: ClientSetting): boolean {
  if (ifAbsent === true) return format.get(text, keys) !== undefined;
  if (adds !== true) return isDeepStrictEqual(format.get(text, keys), value);
  const list = listAt(format, text, keys) ?? [];
  return (
    listAt(format, text, keys) !== undefined && (Array.isArray(value) ? value : []).every((item) => list.some((one) => isDeepStrictEqual(one, item)))
  );
}

/**
 * Plans to add or update a server.
 *
 * @param entry the server's entry in the file's format
 * @param settings settings next to the entry
 */
export function planInstall(
  client: Shapes,
  input: PlanInput,
  entry: (shape: Shape) => Readonly<Record<string, unknown>>,
  settings: readonly ClientSetting[] = [],
): InstallPlan {
  const { keys, shape } = shapeOf(client, input);
  const isThere = input.format.get(input.text, keys) !== undefined;
  const plan = planSettings(input, [{ keys, value: entry(shape) }, ...settings], isThere, keys);
  // The entry is found by its name; the text contains what it replaced.
  return { ...plan, placed: plan.placed.filter((one) => !isDeepStrictEqual(one.keys, keys)) };
}

/** Plans the settings in a file without a server entry. */
export function planOwnFile(input: PlanInput, settings: readonly ClientSetting[]): InstallPlan {
  const plan = planSettings(input, settings, input.record !== undefined);
  // The user's own file already has all settings.
  return plan.status === 'install' && plan.after === input.text ? { ...plan, status: 'unchanged' } : plan;
}

/** Plans to remove a server and its settings. */
export function planRemoval(client: Shapes | undefined, input: PlanInput): InstallPlan {
  const { format, text } = input;
  const before = placedBefore(input);
  const keys = client === undefined ? undefined : shapeOf(client, input).keys;
  const isThere = keys === undefined ? input.record !== undefined : format.get(text, keys) !== undefined;
  if (!isThere && before.length === 0) return { status: 'absent', after: text, original: text, placed: [] };
  const all = [...keysOf(before), ...(keys === undefined ? [] : [keys])];
  const rest = (): string => {
    const taken = takeOut(format, text, before);
    return keys === undefined ? taken : format.remove(taken, keys);
  };
  const original = untouched(input, all) ?? rest();
  return { status: 'remove', after: original, original, placed: [] };
}
