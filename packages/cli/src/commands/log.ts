import { defaultStateFolder, followAudit, queryAudit, type AuditedCall, type AuditFilter } from '@synapse/hands/internal';
import { callLine } from '../output/call-line.ts';
import { defineCommand } from '../command/command.ts';
import { flag, parsed, text } from '../command/option.ts';
import { json, limit, session, workspace } from '../command/shared-options.ts';
import type { Style } from '../output/output.ts';
import { parseTime } from '../input/parse-time.ts';
import { printJson } from '../output/print-json.ts';
import { visibleJson } from '../output/visible-text.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

/** Default of `--limit`. */
const DEFAULT_LIMIT = 50;

const STYLES: Readonly<Record<AuditedCall['status'], Style | undefined>> = { ok: undefined, failed: 'red', running: 'dim', interrupted: 'yellow' };

const TIME = {
  expects: 'a time such as 30m, 2h, 7d, 2026-11-20 or 2026-11-20T09:30',
  parse: (given: string): Date | undefined => parseTime(given, new Date()),
};

export const command = defineCommand({
  details: 'Every call of every process, oldest first. A call is "interrupted" if its process was killed before it ended.',
  options: {
    workspace,
    json,
    follow: flag('keep printing calls as they end', { short: 'f' }),
    tool: text('<name>', 'calls of this tool only'),
    session,
    since: parsed('<time>', 'calls since then: 30m, 2h, 7d or a date', TIME),
    limit,
  },
  examples: [
    ['synapse log', 'the last 50 calls in this folder'],
    ['synapse log --since 2h --tool run_command', 'what ran in the last two hours'],
    ['synapse log --follow --json', 'each call as it ends, one JSON object a line'],
  ],
  async run({ options, out, err, signal }) {
    const root = workspaceRoot(options.workspace);
    const filter: AuditFilter = {
      ...(options.tool === undefined ? {} : { tool: options.tool }),
      ...(options.session === undefined ? {} : { session: options.session }),
    };
    const past = { ...filter, limit: options.limit ?? DEFAULT_LIMIT, ...(options.since === undefined ? {} : { since: options.since }) };
    const calls = [...queryAudit(defaultStateFolder(), root, past)].toReversed();
    if (options.json && !options.follow) {
      printJson(out, { calls });
      return 0;
    }
    const show = (call: AuditedCall): void => {
      if (options.json) out.write(`${visibleJson(JSON.stringify(call))}\n`);
      else out.write(`${callLine(call)}\n`, STYLES[call.status]);
    };
    for (const call of calls) show(call);
    if (options.follow) for await (const call of followAudit(defaultStateFolder(), root, filter, signal)) show(call);
    else if (calls.length === 0) err.write('No such calls are in the audit log of this folder.\n', 'dim');
    else if (calls.length === past.limit) err.write(`The last ${past.limit}; --limit shows more.\n`, 'dim');
    return 0;
  },
});
