import { defaultStateFolder, verifyAudit } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import type { CommandAction } from '../command.ts';
import { visibleJson } from '../visible-text.ts';
import { workspaceRoot } from '../workspace-root.ts';

/** Checks the audit log of a workspace. Fails where something in it is not as it was written. */
export const logVerify: CommandAction = async ({ options, out, err }) => {
  const found = verifyAudit(defaultStateFolder(), workspaceRoot(options.workspace));
  if (options.json) {
    out.write(`${visibleJson(JSON.stringify(found, null, out.isTerminal ? 2 : 0))}\n`);
  } else {
    for (const notice of found.notices) err.write(`${notice}\n`, 'dim');
    for (const { file, line, problem } of found.problems) {
      const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `;
      out.write(`${place}${problem}\n`, 'red');
    }
    if (found.ok) out.write(`ok  ${found.records} records, the last one ${found.hash}\n`, 'green');
    else err.write('The audit log is not as it was written. What stands before the first problem can be relied on.\n');
  }
  return found.ok ? 0 : ERROR_CODES.tool_failed.exitCode;
};
