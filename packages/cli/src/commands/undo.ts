import type { UndoPlan, UndoSelection } from '@synapse/hands';
import { count as counted, isRepositoryData, type RecordedChange } from '@synapse/hands/internal';
import { ERROR_CODES, type CallResult } from '@synapse/protocol';
import type { RemoteCallOptions } from '@synapse/remote/brain';
import * as z from 'zod';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { count, parsed } from '../command/option.ts';
import { allow, json, session, workspace, yes } from '../command/shared-options.ts';
import { CONFIRMED, confirmOrFail } from '../input/confirm-or-fail.ts';
import { openHands } from '../hands/open-hands.ts';
import { refuseLocalOptions, remote } from '../remote/remote-options.ts';
import { tellWaiting } from '../remote/tell-waiting.ts';
import type { Output } from '../output/output.ts';
import { shortId } from '../output/short-id.ts';
import { printJson } from '../output/print-json.ts';
import { exitCode, tellError } from '../output/report-error.ts';

/** Describes what an undo does to an entry. */
const DOES: Record<RecordedChange['kind'], string> = {
  write: 'restore',
  create: 'bring back',
  delete: 'delete',
  mkdir: 'bring back folder',
  rmdir: 'remove folder',
  move: 'move back',
  link: 'bring back link',
};

/** Maximum number of steps shown before the question. */
const MAX_SHOWN = 40;

/** The steps that a person should see: git's own data is only counted. */
const worthShowing = (changes: UndoPlan['changes']): UndoPlan['changes'] =>
  changes.filter(({ path, to }) => to !== undefined || !isRepositoryData(path));

function tellPlan(err: Output, { calls, changes, kept_folders: kept, protected: guarded, left, conflicts, not_covered: notCovered }: UndoPlan): void {
  for (const { call, tool, time } of calls) err.write(`${time.slice(0, 19).replace('T', ' ')}  ${tool}  (${shortId(call)})\n`, 'bold');
  const shown = worthShowing(changes);
  for (const { kind, path, to } of shown.slice(0, MAX_SHOWN)) err.write(`  ${DOES[kind]} ${path}${to === undefined ? '' : ` → ${to}`}\n`);
  if (shown.length > MAX_SHOWN) err.write(`  and ${shown.length - MAX_SHOWN} more\n`);
  if (shown.length < changes.length)
    err.write(`  take back what git notes (commits, branches, the index): ${counted(changes.length - shown.length, 'step')}\n`);
  for (const folder of kept) err.write(`  leave folder ${folder}, which now contains something else\n`);
  for (const { path, reason } of guarded) err.write(`Other programs execute or obey ${path}: ${reason}.\n`, 'yellow');
  for (const { call, tool, reason } of left) err.write(`Stays as it is: ${tool} (${shortId(call)}). ${reason}\n`, 'yellow');
  for (const text of notCovered) err.write(`${text}\n`, 'yellow');
  for (const text of conflicts) err.write(`Conflict: ${text}\n`, 'red');
}

const selectionOf = ({ call, session, last }: { readonly [Name in keyof UndoSelection]: UndoSelection[Name] | undefined }): UndoSelection => ({
  ...(call === undefined ? {} : { call }),
  ...(session === undefined ? {} : { session }),
  ...(last === undefined ? {} : { last }),
});

/** That of another machine is not checked anywhere else. */
const Undone = z.looseObject({ left: z.array(z.unknown()).default([]) });

/** The exit code. A call that stays is no success: a script must not go on. */
function undoneCode(result: CallResult): number {
  const isWhole = !result.ok || (Undone.safeParse(result.data).data?.left ?? []).length === 0;
  return isWhole ? exitCode(result) : ERROR_CODES.conflict.exitCode;
}

/** How questions of the undo are answered. Only another machine has a person elsewhere, for whom it waits. */
const answering = (remote: string | undefined, err: Output, isConfirmed: boolean): Pick<RemoteCallOptions, 'approver' | 'onApproval'> => ({
  ...(remote === undefined ? {} : { onApproval: tellWaiting(err, isConfirmed) }),
  ...(isConfirmed ? { approver: CONFIRMED } : {}),
});

export const command = defineCommand({
  details:
    'Without a call, the last one that changed something and was not undone. Shows what it will do, and asks. Each call is undone with all of its changes ' +
    'or not at all: if a file was changed since, the call stays, the others are undone, and the exit code is 1. Commands that ran live are not covered.',
  arguments: { '[call]': 'the id of one call or its beginning, as `synapse log` shows it; also of an undo' },
  options: {
    workspace,
    branch,
    session,
    last: parsed('<number>', 'the last calls that changed something, this many', count(3)),
    yes,
    json,
    allow,
    remote,
  },
  examples: [
    ['synapse undo', 'the last call that changed something'],
    ['synapse undo --last 3 --yes', 'the last three, without being asked'],
    ['synapse undo --session 5f1c', 'all that a session changed'],
    ['synapse undo --remote ws://127.0.0.1:7412#laptop', 'on another machine, which decides whether it may be'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    const { json } = options;
    const selection = selectionOf({ ...options, call: words.call });
    if (options.remote !== undefined) refuseLocalOptions({ workspace, allow }, options);
    // The person who runs this command approves the changes; the question follows below. On another machine that is decided there.
    await using hands =
      options.remote === undefined
        ? await openHands({ ...options, allow: [...options.allow, 'write'] }, context)
        : await (await import('../remote/open-far-hands.ts')).connectFarAway(options.remote, { err });
    const plan = await hands.planUndo(selection);
    if (!json) tellPlan(err, plan);
    if (json && (plan.conflicts.length > 0 || !options.yes)) printJson(out, { plan, result: null });
    if (plan.conflicts.length > 0) {
      if (!json) err.write('Nothing was undone. Put the files back as the calls left them, or undo later changes first.\n');
      return ERROR_CODES.conflict.exitCode;
    }
    const no = await confirmOrFail('Undo this?', 'nothing was undone', context);
    if (no !== undefined) return no;
    const there = options.remote === undefined ? '' : ` --remote ${options.remote}`;
    // The person saw every step, and how many others only take back git's own data. With --yes, or if steps were left out above,
    // files that other programs execute need --allow protected.
    // On another machine, this yes counts only where its owner lets this device approve.
    const isConfirmed = !options.yes && worthShowing(plan.changes).length <= MAX_SHOWN;
    const result = await hands.undo(selection, { signal, ...answering(options.remote, err, isConfirmed) });
    if (json) printJson(out, { plan, result });
    else if (result.ok) err.write(`${result.output}\nTo take this back: synapse undo ${shortId(result.meta.callId)}${there}\n`);
    else tellError(err, result.error);
    return undoneCode(result);
  },
});
