import { SynapseError } from '@synapse/protocol';
import { createHash } from 'node:crypto';

/** What every provider takes: OpenAI and Anthropic know no dots and colons, Gemini wants a letter or underscore first. */
const WIRE_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u;
/** OpenAI and Anthropic take 64 characters, MCP and Gemini more. */
const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/** Names that mean something to whoever keeps tools in an object, or awaits what it finds there. */
const RESERVED: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then', 'toJSON']);

/** Names of tools as providers take them, and back. */
export interface NameMap {
  /** The name on the wire; a name that is not in the map is given back as it is. */
  toWire(name: string): string;
  /** The tool's own name; a name that is not in the map is given back as it is, and no tool will have it. */
  fromWire(wireName: string): string;
}

/** Names that a model, or a provider that folds case, takes for one another. */
const fold = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** `mcp:<server>:<tool>` becomes `mcp__<server>__<tool>`, as clients write it. */
const spelled = (name: string): string => name.replaceAll(':', '__');

function hashed(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  const safe = spelled(name.slice(0, 2 * MAX_CHARACTERS)).replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
  const lead = /^[a-zA-Z_]/u.test(safe) ? safe : `tool_${safe}`;
  return `${lead.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
}

/**
 * Makes names that every provider takes of the names of tools. A name that fits stays; what had to be
 * changed beyond recognition, or could be taken for another, ends in a hash of the whole name. The
 * outcome for a name does not depend on the order of the others.
 *
 * @throws SynapseError `already_exists` for the same name twice, or two that cannot be told apart
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
    // Of several alike, the one in the plainest spelling keeps it: a stranger cannot take a built-in tool's name away.
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
