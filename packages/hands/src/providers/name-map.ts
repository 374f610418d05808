import { sha256, SynapseError } from '@synapse/protocol';

/** Names that every provider accepts: OpenAI and Anthropic allow no dots or colons, Gemini requires a letter or underscore first. */
const WIRE_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u;
/** Maximum number of characters in a name for OpenAI and Anthropic; MCP and Gemini allow more. */
const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/** Names that have a meaning as properties of an object that holds tools, or that make the object look like a promise. */
const RESERVED: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then', 'toJSON']);

/** Maps tool names to the names that providers accept, and back. */
export interface NameMap {
  /** Returns the name on the wire; returns an unknown name unchanged. */
  toWire(name: string): string;
  /** Returns the tool's name; returns an unknown name unchanged, and no tool will match it. */
  fromWire(wireName: string): string;
}

/** Folds names that a model or a case-insensitive provider may confuse. */
const fold = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** Turns `mcp:<server>:<tool>` into `mcp__<server>__<tool>`, the common form in clients. */
const spelled = (name: string): string => name.replaceAll(':', '__');

function hashed(name: string): string {
  const hash = sha256(name).slice(0, HASH_CHARACTERS);
  const safe = spelled(name.slice(0, 2 * MAX_CHARACTERS)).replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
  const lead = /^[a-zA-Z_]/u.test(safe) ? safe : `tool_${safe}`;
  return `${lead.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
}

/**
 * Turns tool names into names that every provider accepts. A valid name stays. A name that needs more than
 * a simple replacement, or that could be confused with another, ends in a hash of the full name. The
 * result for a name does not depend on the order of the others.
 *
 * @throws SynapseError `already_exists` for duplicate names, or two names that become the same on the wire
 */
export function nameMap(names: Iterable<string>): NameMap {
  const groups = new Map<string, number>();
  const own = [...names];
  for (const name of own) {
    const folded = fold(spelled(name));
    groups.set(folded, (groups.get(folded) ?? 0) + 1);
  }
  const wireNames = new Map<string, string>();
  const ownNames = new Map<string, string>();
  for (const name of own) {
    const plain = spelled(name);
    const folded = fold(plain);
    // Of several similar names, the plainest spelling keeps the name: another tool cannot take the name of a built-in tool.
    const taken = groups.get(folded) !== 1 && name !== folded;
    const wireName = taken || RESERVED.has(plain) || !WIRE_NAME.test(plain) ? hashed(name) : plain;
    const other = ownNames.get(wireName);
    if (other !== undefined) {
      const shown = [other, name].map((each) => JSON.stringify(each.slice(0, 80))).join(' and ');
      throw new SynapseError('already_exists', `The tools ${shown} would both be named ${wireName}.`, { hint: 'Give one of them another name.' });
    }
    wireNames.set(name, wireName);
    ownNames.set(wireName, name);
  }
  return { toWire: (name) => wireNames.get(name) ?? name, fromWire: (wireName) => ownNames.get(wireName) ?? wireName };
}
