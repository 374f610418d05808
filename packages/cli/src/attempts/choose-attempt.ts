import { ask } from '../output/confirm.ts';
import { tellEffect } from '../output/pending-changes.ts';
import type { CommandIo } from '../command/command.ts';
import type { Attempt } from './attempt.ts';
import { parseChoice } from './parse-choice.ts';

/** Answers that were not understood before the question is given up. */
const MAX_UNCLEAR = 5;

/** Lines of the output of a check to show, the last ones. */
const CHECK_LINES = 20;

/** Shows what an attempt changed, and what a check that failed said. */
export function tellDiff({ err }: Pick<CommandIo, 'err'>, { branch, effect, check }: Attempt): void {
  err.write(`\n${branch}\n`, 'bold');
  if (effect === undefined) err.write(`  Its changes: synapse branch diff ${branch}\n`, 'dim');
  else tellEffect(err, effect);
  if (check === undefined || check.passed) return;
  err.write(`  The check failed: ${check.ending}\n`, 'yellow');
  for (const line of check.output.trimEnd().split('\n').slice(-CHECK_LINES)) err.write(`    ${line}\n`, 'dim');
}

/** Asks a person which attempt to apply; undefined for none. */
export async function chooseAttempt(choices: readonly Attempt[], io: CommandIo): Promise<Attempt | undefined> {
  const [first] = choices;
  const others = choices.length === 1 ? 'y' : `1-${choices.length}`;
  const question = `Apply ${choices.length === 1 ? (first?.branch ?? 'it') : 'which one'}? [${others}; d 1: its diff; n: none]`;
  for (let unclear = 0; unclear < MAX_UNCLEAR;) {
    const choice = parseChoice((await ask(question, io)) ?? 'n', choices.length);
    if (choice.does === 'nothing') return undefined;
    if (choice.does === 'apply') return choices[choice.at];
    const shown = choice.does === 'show' ? choices[choice.at] : undefined;
    if (shown === undefined) unclear += 1;
    else tellDiff(io, shown);
  }
  return undefined;
}
