import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

type Argv = readonly [string, ...string[]];

/**
 * The command that was given as words: a single one that is no program, such as `'npm test && npm run lint'`, is a line for the shell.
 *
 * @param folder where it runs
 */
export function givenCommand(words: Argv, folder: string): Argv {
  const [line, ...more] = words;
  return more.length === 0 && /[\s;&|<>$`()]/u.test(line) && !existsSync(resolve(folder, line)) ? ['sh', '-c', line] : words;
}
