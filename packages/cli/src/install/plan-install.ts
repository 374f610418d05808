import { isDeepStrictEqual } from 'node:util';
import type { ClientDefinition, ServerCommand } from './clients.ts';
import type { EntryFormat } from './entry-format.ts';
import type { InstallRecord } from './install-records.ts';
import { takeBack } from './taken-back.ts';

/** The name that clients know the server by. */
export const SERVER_NAME = 'synapse';

/** What a command does to a configuration file. */
export interface InstallPlan {
  readonly status: 'install' | 'update' | 'remove' | 'unchanged' | 'absent';
  readonly after: string;
  /** The file as it would be had nothing been installed. */
  readonly original: string;
}

/** What a plan is made from. */
export interface PlanInput {
  readonly client: Pick<ClientDefinition, 'shapes'>;
  readonly format: EntryFormat;
  readonly text: string;
  readonly record: InstallRecord | undefined;
}

function shapeOf({ client, format, text }: PlanInput): { keys: readonly string[]; shape: ClientDefinition['shapes'][number] } {
  const [first, ...more] = client.shapes;
  const isThere = (keys: readonly string[]): boolean => {
    const value = format.get(text, keys);
    // A server that is called "servers" is no list of servers.
    return typeof value === 'object' && value !== null && !('type' in value && typeof value.type === 'string');
  };
  const shape = [first, ...more].find(({ keys }) => isThere(keys)) ?? more.at(-1) ?? first;
  return { keys: [...shape.keys, SERVER_NAME], shape };
}

/** The text without what an installation put there, or undefined where it is not there as it was put. */
function untouched(input: PlanInput, keys: readonly string[]): string | undefined {
  const { format, text, record } = input;
  const taken = record === undefined ? undefined : takeBack(text, record.change);
  if (taken === undefined) return undefined;
  try {
    // Where others changed the file as well, what is left may say something else, or nothing.
    return isDeepStrictEqual(format.without(taken, keys), format.without(text, keys)) ? taken : undefined;
  } catch {
    // Then the entry is taken out by its place in the file.
    return undefined;
  }
}

/** Plans to add a server, or to bring the one that is there up to date. */
export function planInstall(input: PlanInput, server: ServerCommand): InstallPlan {
  const { format, text } = input;
  const { keys, shape } = shapeOf(input);
  const [entry, there] = [shape.entry(server), format.get(text, keys)];
  const original = there === undefined ? text : (untouched(input, keys) ?? text);
  if (isDeepStrictEqual(entry, there)) return { status: 'unchanged', after: text, original };
  return { status: there === undefined ? 'install' : 'update', after: format.set(original, keys, entry), original };
}

/** Plans to take a server out again. */
export function planRemoval(input: PlanInput): InstallPlan {
  const { format, text } = input;
  const { keys } = shapeOf(input);
  if (format.get(text, keys) === undefined) return { status: 'absent', after: text, original: text };
  const original = untouched(input, keys) ?? format.remove(text, keys);
  return { status: 'remove', after: original, original };
}
