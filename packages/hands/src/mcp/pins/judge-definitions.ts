import type { ToolDefinition } from '../tools/definition.ts';
import type { Pin } from './pin-store.ts';

/** A tool whose definition nobody has let in as it is now. */
export interface UnpinnedTool {
  readonly definition: ToolDefinition;
  readonly kind: 'new' | 'changed';
  /** What a person has to see, a line each. */
  readonly difference: readonly string[];
}

/** A server's tools against what a person let in. */
export interface JudgedDefinitions {
  readonly pinned: readonly ToolDefinition[];
  readonly unpinned: readonly UnpinnedTool[];
  /** To be pinned now, since the server is seen for the first time. */
  readonly first: readonly Pin[] | undefined;
}

/** A definition as it is kept. */
export function pinOf({ ownName, hash, description, inputSchema }: ToolDefinition): Pin {
  return { tool: ownName, hash, description, schema: JSON.stringify(inputSchema, null, 1) };
}

function textOf({ description, schema }: Pick<Pin, 'description' | 'schema'>): string {
  return `${description}\n\narguments:\n${schema}`;
}

/** The lines between what is the same at both ends, whole: a word hidden at the end of a long line must show. */
function changedLines(before: readonly string[], now: readonly string[]): string[] {
  let head = 0;
  while (head < before.length && head < now.length && before[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(before.length, now.length) - head && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [...before.slice(head, before.length - tail).map((line) => `- ${line}`), ...now.slice(head, now.length - tail).map((line) => `+ ${line}`)];
}

/** What differs between two definitions, a line each; all of the second where there is no first. */
export function differenceOf(before: Pick<Pin, 'description' | 'schema'> | undefined, now: ToolDefinition): string[] {
  const lines = changedLines(before === undefined ? [] : textOf(before).split('\n'), textOf(pinOf(now)).split('\n'));
  return lines.length === 0 ? ['(what models are shown is the same; its title or the order of its words is not)'] : lines;
}

/**
 * Tells which of a server's tools are as a person let them in. Pure.
 *
 * @param pins what was let in; undefined for a server that is seen for the first time, and is taken as it is
 */
export function judgeDefinitions(definitions: readonly ToolDefinition[], pins: ReadonlyMap<string, Pin> | undefined): JudgedDefinitions {
  if (pins === undefined) return { pinned: definitions, unpinned: [], first: definitions.map(pinOf) };
  const pinned: ToolDefinition[] = [];
  const unpinned: UnpinnedTool[] = [];
  for (const definition of definitions) {
    const pin = pins.get(definition.ownName);
    if (pin?.hash === definition.hash) pinned.push(definition);
    else unpinned.push({ definition, kind: pin === undefined ? 'new' : 'changed', difference: differenceOf(pin, definition) });
  }
  return { pinned, unpinned, first: undefined };
}
