import { defaultStateFolder, type NewestReceipt, Receipts } from '@synapse/hands/internal';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, session, workspace } from '../command/shared-options.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

/** Number of changed files to name. */
const MAX_NAMED = 3;
const ID_CHARACTERS = 8;

function row({ call, command: text, exit_code: code, state, changed }: NewestReceipt): string[] {
  const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : '';
  const since = changed.length === 0 ? '' : `changed since: ${changed.slice(0, MAX_NAMED).join(', ')}${more}`;
  return [call.slice(0, ID_CHARACTERS), state, code === null ? 'ended by a signal' : `exit code ${code}`, inLine(text), inLine(since)];
}

export const command = defineCommand({
  details: 'The newest run of each command, and whether the files are still as they were then.',
  options: { workspace, branch, session, json },
  examples: [
    ['synapse receipts', 'what was tested, and whether that still counts'],
    ['synapse receipts --json', 'for programs'],
  ],
  showsRecords: true,
  async run({ options, out, err }) {
    using opened = new Receipts(options.workspace ?? '.', defaultStateFolder());
    const receipts = await opened.newest(options.session);
    if (options.json) printJson(out, receipts);
    else if (receipts.length === 0) err.write('No command has run here yet.\n', 'dim');
    else out.write(columns(receipts.map(row)));
    return 0;
  },
});
