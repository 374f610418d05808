import { SynapseError } from '@synapse/protocol';

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
