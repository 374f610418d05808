/** Why a path is not taken for that of a new entry, and what to give instead. */
export interface ForeignPath {
  readonly reason: string;
  readonly hint: string;
}

const RELATIVE = 'Give a path relative to the workspace, such as src/app.ts.';

/** What the first name of a path is in other programs. Routers use `$id` and `[id]` as names, so only what is surely no name counts. */
const BEGINNINGS: ReadonlyArray<readonly [name: RegExp, reason: string]> = [
  [/^[A-Za-z]:$/u, 'begins with a drive of Windows'],
  [/^[A-Za-z][\w+.-]+:$/u, 'begins as a URL does'],
  [/^(?:\$[A-Z][A-Z\d_]+|\$\{.*\}|\$\(.*\)|%[A-Za-z_]\w*%|\$env:\w+)$/u, 'begins with a variable, which is not replaced here'],
  [/^<[^<>]+>$/u, 'begins with a placeholder'],
];

/** What follows the name of a file in the output of programs. */
const POSITION = /(?<=\.\w+)(?::L?\d+){1,2}(?:-L?\d+)?:?$/u;
const QUOTED = /^(["'`]).*\1$/u;

/**
 * Explains a path that is a slip rather than the name of a new entry: written as asked, it would create an entry in an unintended place. What
 * exists already has such a name by intention.
 *
 * @param created number of names at the end of the path that would be new
 */
export function foreignPath(names: readonly string[], created: number): ForeignPath | undefined {
  const fresh = names.slice(names.length - created);
  const [first = ''] = names;
  const begins = fresh.length === names.length && names.length > 1 ? BEGINNINGS.find(([name]) => name.test(first)) : undefined;
  if (begins !== undefined) return { reason: begins[1], hint: RELATIVE };
  const whole = names.join('/');
  if (fresh.length === names.length && QUOTED.test(whole)) return { reason: 'is in quotes', hint: `Write ${whole.slice(1, -1)}.` };
  if (fresh.some((name) => name !== name.trim())) {
    return { reason: 'has white space at the beginning or end of a name', hint: `Write ${names.map((name) => name.trim()).join('/')}.` };
  }
  if (fresh.length > 0 && POSITION.test(whole)) return { reason: 'ends with a line number', hint: `Write ${whole.replace(POSITION, '')}.` };
  return undefined;
}
