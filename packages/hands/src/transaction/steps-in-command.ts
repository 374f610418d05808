import { execLines } from '../danger/git-orders.ts';
import { hiddenReason } from '../policy/hidden-commands.ts';
import { runsOf } from '../policy/interpreters.ts';
import { findProgram } from '../policy/program-table.ts';
import { shellEffects } from '../policy/shell-effects.ts';
import type { KnownWord } from '../policy/command-pattern.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { readRegular } from '../workspace/read-regular.ts';
import type { WithheldEntry } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Maximum bytes of a todo list. A larger one stays withheld. */
const MAX_BYTES = 256 * 1024;
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

/** The commands that the steps of a rebase may hold, because they stand in the command and are understood. */
export function stepsOf(command: string): ReadonlySet<string> {
  const rebases = shellEffects(command).execs.flatMap(({ words, forms }) =>
    [words, ...forms].filter(([name, verb]) => name === 'git' && verb === 'rebase'),
  );
  const added = rebases.flatMap((words) => addedBy(words.slice(2)));
  return new Set(added.filter((text): text is string => text !== undefined && isUnderstood(text)));
}

/** A todo list that need not be withheld, with what `git rebase --continue` runs. */
export interface KnownSteps {
  readonly entry: WithheldEntry;
  readonly runs: readonly string[];
}

/**
 * Finds the todo lists of rebases whose `exec` lines all stand in the command itself, as arguments of `git rebase -x`. Lines that a
 * script added are not among them.
 */
export function stepsInCommand(withheld: readonly WithheldEntry[], area: Pick<TransactionArea, 'upper'>, command: string): KnownSteps[] {
  const allowed = stepsOf(command);
  if (allowed.size === 0) return [];
  return withheld.flatMap((entry): KnownSteps[] => {
    if (!isTodo(entry)) return [];
    const text = readRegular(joinNames(area.upper, entry.location), MAX_BYTES)?.bytes.toString();
    const runs = text === undefined ? [] : execLines(text).map((line) => line.replace(/^exec /u, ''));
    return runs.length > 0 && runs.every((run) => allowed.has(run)) ? [{ entry, runs: [...new Set(runs)] }] : [];
  });
}

/** Whether an entry is the todo list of a rebase. */
export const isTodo = ({ reason, isThere, location }: WithheldEntry): boolean =>
  reason === 'git-hook' && isThere && location.at(-1) === 'git-rebase-todo' && location.at(-2) === 'rebase-merge';
