/**
 * Writes a value as canonical JSON (RFC 8785): the same value always gives the same text, so that a signature of it can be checked. Fields
 * are sorted by UTF-16 code units, and numbers are written as ECMAScript does. Undefined fields are left out.
 *
 * @throws TypeError for what JSON cannot express: a number that is not finite, half of a surrogate pair, a function
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('A number that is not finite has no JSON.');
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('Half of a surrogate pair has no canonical JSON.');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`A ${typeof value} has no JSON.`);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  // The default order of strings is that of their UTF-16 code units.
  fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${canonicalJson(name)}:${canonicalJson(field)}`).join(',')}}`;
}
