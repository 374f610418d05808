import type { KnownWord } from './command-pattern.ts';
import { hiddenReason } from './hidden-commands.ts';
import { runsOf } from './interpreters.ts';
import { findProgram } from './program-table.ts';
import { shellEffects } from './shell-effects.ts';

// Loaded only where a command may add steps to a rebase.

/** The option with its value, alone or after flags of one letter. */
const SHORT = /^-[ikmnqrv]*x(?<value>.*)$/su;
const LONG = '--exec';

/** The commands that `git rebase` adds after each commit, of the words after its name; undefined for those that are not known. */
function addedBy(words: readonly KnownWord[]): KnownWord[] {
  const found: KnownWord[] = [];
  for (let index = 0; index < words.length && words[index] !== '--'; index += 1) {
    const word = words[index];
    const value =
      word === LONG ? '' : word?.startsWith(`${LONG}=`) === true ? word.slice(LONG.length + 1) : SHORT.exec(word ?? '')?.groups?.['value'];
    if (value === undefined) continue;
    found.push(value === '' ? words[index + 1] : value);
    if (value === '') index += 1;
  }
  return found;
}

/** Whether a command does what its words show: it runs programs that are known, such as tests and builds, and reaches nothing else. */
function isUnderstood(text: string): boolean {
  const { execs, unknown, net, writes, deletes } = shellEffects(text);
  if (unknown.length + net.length + writes.length + deletes.length > 0) return false;
  return execs.every((exec) => {
    const runs = runsOf(exec.words);
    const isKnown = exec.wrapped === undefined && findProgram(exec.words[0] ?? '') !== undefined && runs !== 'commands' && runs !== 'packages';
    return isKnown && exec.doubts.length === 0 && hiddenReason(exec) === undefined;
  });
}

/** The commands that the steps of a rebase may hold, because they are in the command and are understood. */
export function stepsOf(command: string): ReadonlySet<string> {
  const rebases = shellEffects(command).execs.flatMap(({ words, forms }) =>
    [words, ...forms].filter(([name, verb]) => name === 'git' && verb === 'rebase'),
  );
  const added = rebases.flatMap((words) => addedBy(words.slice(2)));
  return new Set(added.filter((text): text is string => text !== undefined && isUnderstood(text)));
}
