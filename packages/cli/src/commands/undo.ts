import type { RecordedChange, UndoPlan } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { count, parsed } from '../command/option.ts';
import { allow, json, session, workspace, yes } from '../command/shared-options.ts';
import { declined } from '../declined.ts';
import { exitCode } from '../exit-code.ts';
import { openHands } from '../open-hands.ts';
import type { Output } from '../output.ts';
import { printJson } from '../print-json.ts';
import { tellError } from '../report-error.ts';

/** What an undo does to an entry, in a person's words. */
const DOES: Record<RecordedChange['kind'], string> = {
  write: 'restore',
  create: 'bring back',
  delete: 'delete',
  mkdir: 'bring back folder',
  rmdir: 'remove folder',
  move: 'move back',
  link: 'bring back link',
};

/** Steps that are shown; nobody reads more before a yes. */
const MAX_SHOWN = 40;

function tellPlan(err: Output, { calls, changes, kept_folders: kept, conflicts, not_covered: notCovered }: UndoPlan): void {
  for (const { call, tool, time } of calls) err.write(`${time.slice(0, 19).replace('T', ' ')}  ${tool}  (${call})\n`, 'bold');
  for (const { kind, path, to } of changes.slice(0, MAX_SHOWN)) err.write(`  ${DOES[kind]} ${path}${to === undefined ? '' : ` → ${to}`}\n`);
  if (changes.length > MAX_SHOWN) err.write(`  and ${changes.length - MAX_SHOWN} more\n`);
  for (const folder of kept) err.write(`  leave folder ${folder}, which holds something else by now\n`);
  for (const text of notCovered) err.write(`${text}\n`, 'yellow');
  for (const text of conflicts) err.write(`Conflict: ${text}\n`, 'red');
}

export const command = defineCommand({
  details:
    'Without a call, the last one that changed something and was not undone. Shows what it will do, and asks. All of it happens or nothing: ' +
    'a file that was changed since is a conflict. Commands that ran live are not covered.',
  arguments: { '[call]': 'the id of one call, as `synapse log` shows it; also of an undo' },
  options: { workspace, session, last: parsed('<number>', 'the last so many calls that changed something', count(3)), yes, json, allow },
  examples: [
    ['synapse undo', 'the last call that changed something'],
    ['synapse undo --last 3 --yes', 'the last three, without being asked'],
    ['synapse undo --session 5f1c', 'all that a session changed'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    const { call } = words;
    const { session, last, json } = options;
    const selection = {
      ...(call === undefined ? {} : { call }),
      ...(session === undefined ? {} : { session }),
      ...(last === undefined ? {} : { last }),
    };
    // The person who types this command is the one whose yes a change takes; they are asked below.
    await using hands = await openHands({ ...options, allow: [...options.allow, 'write'] }, err);
    const plan = await hands.planUndo(selection);
    if (!json) tellPlan(err, plan);
    if (json && (plan.conflicts.length > 0 || !options.yes)) printJson(out, { plan, result: null });
    if (plan.conflicts.length > 0) {
      if (!json) err.write('Nothing was undone. Put the files back as the calls left them, or undo later changes first.\n');
      return ERROR_CODES.conflict.exitCode;
    }
    const no = await declined('Undo this?', 'nothing was undone', context);
    if (no !== undefined) return no;
    const result = await hands.undo(selection, { signal });
    if (json) printJson(out, { plan, result });
    else if (result.ok) err.write(`${result.output}\nTo take this back: synapse undo ${result.meta.callId}\n`);
    else tellError(err, result.error);
    return exitCode(result);
  },
});
