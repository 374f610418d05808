import { defaultStateFolder, verifyAudit } from '@synapse/hands/internal';
import { ERROR_CODES } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

export const command = defineCommand({
  details: 'Finds records that were changed, added, moved or removed. Keep the hash that it prints elsewhere: it proves the log up to here.',
  options: { workspace, json },
  examples: [['synapse log verify', 'exit code 1 where something is wrong']],
  async run({ options, out, err }) {
    const found = verifyAudit(defaultStateFolder(), workspaceRoot(options.workspace));
    if (options.json) printJson(out, found);
    else {
      for (const notice of found.notices) err.write(`${notice}\n`, 'dim');
      for (const { file, line, problem } of found.problems) {
        const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `;
        out.write(`${place}${problem}\n`, 'red');
      }
      if (found.ok) out.write(`ok  ${found.records} records, the last one ${found.hash}\n`, 'green');
      else if (found.records > 0) err.write('The audit log was changed. Records before the first problem are reliable.\n');
    }
    return found.ok ? 0 : ERROR_CODES.tool_failed.exitCode;
  },
});
