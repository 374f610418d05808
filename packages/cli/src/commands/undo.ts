import type { RecordedChange, UndoPlan } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import type { CommandAction } from '../command.ts';
import { declined } from '../declined.ts';
import { exitCode } from '../exit-code.ts';
import { openHands } from '../open-hands.ts';
import type { Output } from '../output.ts';
import { tellError } from '../report-error.ts';
import { visibleJson } from '../visible-text.ts';

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

/** Takes back what calls changed, once a person has seen what that does. */
export const undo: CommandAction = async (context) => {
  const { arguments: words, options, out, err, signal } = context;
  const [call] = words;
  const { session, last, json } = options;
  const selection = {
    ...(call === undefined ? {} : { call }),
    ...(session === undefined ? {} : { session }),
    ...(last === undefined ? {} : { last }),
  };
  // Whoever types this command is the person whose yes a change takes; they are asked below.
  await using hands = await openHands({ ...options, allow: [...options.allow, 'write'] }, err);
  const plan = await hands.planUndo(selection);
  if (!json) tellPlan(err, plan);
  const tellJson = (result: unknown): void => out.write(`${visibleJson(JSON.stringify({ plan, result }, null, out.isTerminal ? 2 : 0))}\n`);
  if (json && (plan.conflicts.length > 0 || !options.yes)) tellJson(null);
  if (plan.conflicts.length > 0) {
    if (!json) err.write('Nothing was undone. Put the files back as the calls left them, or undo later changes first.\n');
    return ERROR_CODES.conflict.exitCode;
  }
  const no = await declined('Undo this?', 'nothing was undone', context);
  if (no !== undefined) return no;
  const result = await hands.undo(selection, { signal });
  if (json) tellJson(result);
  else if (result.ok) err.write(`${result.output}\nTo take this back: synapse undo ${result.meta.callId}\n`);
  else tellError(err, result.error);
  return exitCode(result);
};
