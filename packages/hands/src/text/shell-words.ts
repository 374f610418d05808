/** Text that needs no shell quotes. */
const PLAIN = /^[\w@%+=:,./-]+$/u;
const VARIABLE = /^[A-Za-z_]\w*$/u;

/** Quotes a word so that a POSIX shell reads it back unchanged. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Quotes a list of words as a command line that runs exactly those words. A first word that looks like an assignment is quoted. */
export function commandLine(words: readonly string[]): string {
  const [program = '', ...rest] = words;
  const first = program.includes('=') || !PLAIN.test(program) ? `'${program.replaceAll("'", String.raw`'\''`)}'` : program;
  return [first, ...rest.map(quoteWord)].join(' ');
}

/** Formats variables as assignments before a command; undefined if a name is invalid. */
export function assignments(environment: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(environment);
  if (!entries.every(([name]) => VARIABLE.test(name))) return undefined;
  return entries.map(([name, value]) => `${name}=${quoteWord(value)} `).join('');
}
