import type { ToolDefinition } from '../tools/definition.ts';
import type { Pin } from './pin-store.ts';

/** A tool whose current definition is not approved. */
export interface UnpinnedTool {
  readonly definition: ToolDefinition;
  readonly kind: 'new' | 'changed';
  /** What the user must see, one line each. */
  readonly difference: readonly string[];
}

/** The tools of a server compared with the approved ones. */
export interface JudgedDefinitions {
  readonly pinned: readonly ToolDefinition[];
  readonly unpinned: readonly UnpinnedTool[];
  /** Pins to store now, for a server seen for the first time. */
  readonly first: readonly Pin[] | undefined;
}

/** Returns the stored form of a definition. */
export function pinOf({ ownName, hash, description, inputSchema, outputSchema }: ToolDefinition): Pin {
  const schema = JSON.stringify(inputSchema, null, 1);
  return {
    tool: ownName,
    hash,
    description,
    schema: outputSchema === undefined ? schema : `${schema}\n\nanswer:\n${JSON.stringify(outputSchema, null, 1)}`,
  };
}

function textOf({ description, schema }: Pick<Pin, 'description' | 'schema'>): string {
  return `${description}\n\narguments:\n${schema}`;
}

/** Returns the lines between the common start and end, in full: a word at the end of a long line must show. */
function changedLines(before: readonly string[], now: readonly string[]): string[] {
  let head = 0;
  while (head < before.length && head < now.length && before[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(before.length, now.length) - head && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [...before.slice(head, before.length - tail).map((line) => `- ${line}`), ...now.slice(head, now.length - tail).map((line) => `+ ${line}`)];
}

/** Returns the differences between two definitions, one line each; all of the second if there is no first. */
export function differenceOf(before: Pick<Pin, 'description' | 'schema'> | undefined, now: ToolDefinition): string[] {
  const lines = changedLines(before === undefined ? [] : textOf(before).split('\n'), textOf(pinOf(now)).split('\n'));
  return lines.length === 0 ? ['(what models are shown is the same; its title or the order of its words is not)'] : lines;
}

/**
 * Sorts the tools of a server into approved and unapproved ones. Pure.
 *
 * @param pins approved definitions; undefined for a new server, whose tools are all accepted
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
