import { isUtf8 } from 'node:buffer';
import { changesSince, count, defaultStateFolder, PastWorkspace, size, type PastEntry } from '@synapse/hands/internal';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import type { Output } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { showChange } from '../output/show-change.ts';
import { inLine } from '../output/visible-text.ts';

/** A line of a listing: the name as `ls -F` shows it, the size, and what is not known. */
function row({ path, type, size: bytes, target, changed_since: isChanged }: PastEntry): string[] {
  const mark = type === 'directory' ? '/' : type === 'link' ? ` -> ${inLine(target ?? '')}` : '';
  return [
    `${inLine(path)}${mark}`,
    bytes === undefined ? '' : size(bytes),
    isChanged === true ? 'changed since by something else: as it is now' : '',
  ];
}

const contentOf = (bytes: Buffer): { readonly content: string } | { readonly content_base64: string } =>
  isUtf8(bytes) ? { content: bytes.toString() } : { content_base64: bytes.toString('base64') };

/** Says what a moment does not show as it was. */
function tellUncovered(err: Output, { moment: { uncovered } }: PastWorkspace): void {
  if (uncovered.length === 0) return;
  err.write(`${count(uncovered.length, 'command')} ran live since, and what they changed is shown as it is now: synapse log\n`, 'yellow');
}

export const command = defineCommand({
  details:
    'Before the call, or after it with --after. A folder is listed, and a file is printed as it was. Commands that ran live, and other programs, are ' +
    'not recorded: what they changed is as it is now. synapse branch new NAME --at makes a branch of it.',
  arguments: { '<call>': 'any call of synapse log; the beginning of its id is enough', '[path]': 'a file or a folder (default: the workspace)' },
  options: {
    workspace,
    branch,
    json,
    after: flag('after the call, not before it'),
    diff: flag('what was changed from then until now'),
  },
  examples: [
    ['synapse at 7c60', 'list the workspace before a call'],
    ['synapse at 7c60 src/app.ts > app.ts', 'a file as it was'],
    ['synapse at 7c60 --after --diff', 'what was changed since'],
  ],
  showsRecords: true,
  async run({ arguments: { call, path = '.' }, options, out, err, signal }) {
    using past = PastWorkspace.open(workspaceRoot(options.workspace), defaultStateFolder(), call, options.after ? 'after' : 'before');
    const { moment } = past;
    const shown = { call: moment.call, side: moment.side, time: new Date(moment.time).toISOString(), path, uncovered: moment.uncovered };
    tellUncovered(err, past);
    if (options.diff) {
      const { changes, isCut } = await changesSince(past, path, signal);
      if (options.json) printJson(out, { ...shown, changes, cut: isCut });
      else for (const change of changes) showChange(out, change);
      if (isCut) err.write('There is more, which was not compared. Name a folder.\n', 'yellow');
      if (!options.json && changes.length === 0) err.write('Nothing differs.\n', 'dim');
      return 0;
    }
    if (past.typeOf(path) === 'directory') {
      const entries = past.list(path);
      if (options.json) printJson(out, { ...shown, entries });
      else out.write(columns(entries.map(row)));
      return 0;
    }
    const { bytes, changedSince } = past.read(path);
    if (changedSince) err.write(`${path} was changed since by something else than a call. This is its content now.\n`, 'yellow');
    if (options.json) printJson(out, { ...shown, ...contentOf(bytes), ...(changedSince ? { changed_since: true } : {}) });
    else if (out.writeBytes === undefined) out.write(bytes.toString());
    else out.writeBytes(bytes);
    return 0;
  },
});
