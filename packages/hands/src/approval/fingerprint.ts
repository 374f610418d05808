import { hash } from 'node:crypto';

/** JSON with sorted keys, so that one value has one text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return `{${entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** What an approval is bound to: what runs must be what was shown. */
export function fingerprint(tool: string, input: Readonly<Record<string, unknown>>): string {
  return hash('sha256', `${tool}\n${canonical(input)}`, 'hex');
}
