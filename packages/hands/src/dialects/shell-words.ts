/** What a shell reads as it stands. */
const PLAIN = /^[\w@%+=:,./-]+$/u;
const VARIABLE = /^[A-Za-z_]\w*$/u;

/** A word as a POSIX shell reads it back unchanged. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A list of words as a command line that runs exactly them. The first is quoted where it would be an assignment. */
export function commandLine(words: readonly string[]): string {
  const [program = '', ...rest] = words;
  const first = program.includes('=') || !PLAIN.test(program) ? `'${program.replaceAll("'", String.raw`'\''`)}'` : program;
  return [first, ...rest.map(quoteWord)].join(' ');
}

/** Variables as assignments before a command; undefined where a name is none. */
export function assignments(environment: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(environment);
  if (!entries.every(([name]) => VARIABLE.test(name))) return undefined;
  return entries.map(([name, value]) => `${name}=${quoteWord(value)} `).join('');
}
