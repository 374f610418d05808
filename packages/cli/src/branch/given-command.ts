import { existsSync } from 'node:fs';

type Argv = readonly [string, ...string[]];

/** The command that was given as words: a single one that is no program, such as `'npm test && npm run lint'`, is a line for the shell. */
export function givenCommand(words: Argv, exists: (path: string) => boolean = existsSync): Argv {
  const [line, ...more] = words;
  return more.length === 0 && /[\s;&|<>$`()]/u.test(line) && !exists(line) ? ['sh', '-c', line] : words;
}
