import { defaultStateFolder, followAudit, queryAudit, type AuditedCall, type AuditFilter } from '@synapse/hands';
import { callLine } from '../call-line.ts';
import type { CommandAction } from '../command.ts';
import type { Style } from '../output.ts';
import { visibleJson } from '../visible-text.ts';
import { workspaceRoot } from '../workspace-root.ts';

/** Calls that are shown where nobody says how many. */
const DEFAULT_LIMIT = 50;

const STYLES: Readonly<Record<AuditedCall['status'], Style | undefined>> = { ok: undefined, failed: 'red', running: 'dim', interrupted: 'yellow' };

/** Shows the calls of a workspace. */
export const log: CommandAction = async ({ options, out, err, signal }) => {
  const { json, follow, tool, session, since, limit } = options;
  const root = workspaceRoot(options.workspace);
  const filter: AuditFilter = {
    ...(tool === undefined ? {} : { tool }),
    ...(session === undefined ? {} : { session }),
  };
  const past = { ...filter, limit: limit ?? DEFAULT_LIMIT, ...(since === undefined ? {} : { since }) };
  const calls = [...queryAudit(defaultStateFolder(), root, past)].toReversed();
  const show = (call: AuditedCall): void => {
    if (json) out.write(`${visibleJson(JSON.stringify(call))}\n`);
    else out.write(`${callLine(call)}\n`, STYLES[call.status]);
  };
  if (json && !follow) {
    out.write(`${visibleJson(JSON.stringify({ calls }, null, out.isTerminal ? 2 : 0))}\n`);
    return 0;
  }
  for (const call of calls) show(call);
  if (follow) for await (const call of followAudit(defaultStateFolder(), root, filter, signal)) show(call);
  else if (calls.length === 0) err.write('No such calls are in the audit log of this folder.\n', 'dim');
  else if (calls.length === past.limit) err.write(`The last ${past.limit}; --limit shows more.\n`, 'dim');
  return 0;
};
