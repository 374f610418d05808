import { sha256 } from './sha256.ts';

/** Arguments nested deeper than this are refused: no tool takes them, and walking them could exhaust the stack. */
const MAX_DEPTH = 64;

/** JSON with sorted keys, so that two encoders agree on the text. @throws RangeError for what is nested too deep */
function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new RangeError(`Arguments are nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field, depth + 1)}`).join(',')}}`;
}

/** What a call id stands for: tool, dialect and arguments. An id with another hash is another call, and is refused. */
export function callHash(call: { readonly tool: string; readonly args?: unknown; readonly dialect?: string | undefined }): string {
  return sha256(canonicalJson([call.dialect ?? null, call.tool, call.args ?? {}]));
}
