import { sha256 } from './sha256.ts';

/** Maximum nesting of arguments. No tool accepts more, and traversing them could overflow the stack. */
const MAX_DEPTH = 64;

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1);

/** Formats JSON with sorted keys and without undefined fields, so that all encoders agree. @throws RangeError for too deep nesting */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new RangeError(`Arguments are nested deeper than ${MAX_DEPTH} levels.`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null, depth + 1)).join(',')}]`;
  let text = '';
  for (const [name, field] of Object.entries(value).sort(byName)) {
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field, depth + 1)}`;
  }
  return `{${text}}`;
}

/** The hashed parts of a call. */
export interface HashedCall {
  readonly tool: string;
  readonly args?: unknown;
  readonly dialect?: string | undefined;
  readonly dry_run?: boolean | undefined;
  readonly workspace?: string | undefined;
}

/**
 * Hashes what identifies a call: tool, dialect, arguments, dry run, and workspace. The same id with a different hash is a different call and is
 * rejected. So is a call with a field that the machine does not know: it would run elsewhere than meant.
 */
export function callHash({ tool, args, dialect, dry_run: isDryRun, workspace }: HashedCall): string {
  const more = [...(isDryRun === true ? ['dry run'] : []), ...(workspace === undefined ? [] : [{ workspace }])];
  return sha256(canonicalJson([dialect ?? null, tool, args ?? {}, ...more]));
}
