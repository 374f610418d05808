import { SynapseError } from '@synapse/protocol';
import { nearest } from './nearest.ts';

/** The kind before the digits of an id, as in `job-1f0c2a9b`: it may be left out. */
const KIND = /^[a-z]{1,8}-(?=[\da-f]{4})/u;

/** Returns the known ids that are closest to a mistyped one: an id is compared as far as it was typed. */
export function nearestIds(given: string, known: Iterable<string>): string[] {
  const typed = new Map<string, string>();
  for (const id of known) if (!typed.has(id.slice(0, given.length))) typed.set(id.slice(0, given.length), id);
  return nearest(given, typed.keys()).map((start) => typed.get(start) ?? start);
}

/** What ids name, for messages. */
export interface IdKind {
  /** A noun, as in `job`. */
  readonly what: string;
  /** How to list them: a sentence. */
  readonly list: string;
}

/**
 * Returns the known id that a given one is, or begins. The kind before its digits may be left out.
 *
 * @throws SynapseError `not_found` with the nearest ids; `conflict` with the candidates if it begins several
 */
export function knownId(given: string, known: readonly string[], { what, list }: IdKind): string {
  const bare = known.filter((id) => KIND.test(id));
  const whole = fullId(given, known, what);
  if (known.includes(whole)) return whole;
  const digits = fullId(
    given,
    bare.map((id) => id.replace(KIND, '')),
    what,
  );
  const found = bare.find((id) => id.replace(KIND, '') === digits);
  if (found !== undefined) return found;
  const near = nearestIds(given, known);
  throw new SynapseError('not_found', `${what.slice(0, 1).toUpperCase()}${what.slice(1)} not found: ${given.slice(0, 64)}`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}${list}`,
  });
}

/** Minimum length of a shortened id, in characters: shorter ones are more likely slips than names. */
const MIN_PREFIX = 4;
/** Maximum number of candidates to list. */
const MAX_LISTED = 8;

/**
 * Returns the id that a given one begins; the given one if no id begins like it.
 *
 * @param known the ids that are equal to the given one or begin with it
 * @param what the kind of id, as in `call`
 * @throws SynapseError `conflict` if it begins several ids
 */
export function fullId(given: string, known: readonly string[], what: string): string {
  if (known.includes(given) || given.length < MIN_PREFIX) return given;
  const [only = given, ...more] = new Set(known.filter((id) => id.startsWith(given)));
  if (more.length === 0) return only;
  const listed = [only, ...more].slice(0, MAX_LISTED);
  const rest = more.length + 1 - listed.length;
  throw new SynapseError('conflict', `More than one ${what} begins with ${given.slice(0, 64)}.`, {
    hint: `Name one of them: ${listed.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}.`,
  });
}
