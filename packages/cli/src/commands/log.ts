import { branch } from '../command/branch-option.ts';
import {
  count,
  type Defaults,
  defaultsOf,
  defaultStateFolder,
  followAudit,
  knownId,
  nearestIds,
  queryAudit,
  sessionsBeginning,
  type AuditedCall,
  type AuditFilter,
} from '@synapse/hands/internal';
import { callLine } from '../output/call-line.ts';
import { foldNested } from '../output/fold-nested.ts';
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

/** Number of calls in which ids are looked for. */
const MAX_SEARCHED = 10_000;

/** Suggests the sessions nearest to one without calls. */
function nearSessions(given: string | undefined, root: string): string {
  if (given === undefined) return '';
  const known = [...queryAudit(defaultStateFolder(), root, { limit: MAX_SEARCHED })].flatMap(({ start }) => start.session ?? []);
  const near = nearestIds(given, new Set(known)).filter((id) => id !== given);
  return near.length > 0 ? ` Did you mean the session ${near.join(' or ')}?` : '';
}

/** The default values of a tool's arguments; undefined for a tool that is not built in. */
async function defaultsOfTool(name: string): Promise<Defaults | undefined> {
  // Loaded when used: the tools take longer to load than the log to read.
  const { CANONICAL_TOOLS, describeTool } = await import('@synapse/hands/tools');
  const tool = CANONICAL_TOOLS.find((one) => one.name === name);
  return tool === undefined ? undefined : defaultsOf(describeTool(tool).inputSchema);
}

const SESSIONS = { what: 'session', list: 'synapse log shows the sessions of calls.' };

/** The session that an id or its beginning means. An unknown one stays: it may be one that begins soon. */
function sessionMeant(given: string, root: string): string {
  const known = sessionsBeginning(defaultStateFolder(), root, given);
  return known.length === 0 ? given : knownId(given, known, SESSIONS);
}

/** The call that an id or its beginning means. */
function callMeant(given: string, root: string): string {
  const known = [...queryAudit(defaultStateFolder(), root, { limit: MAX_SEARCHED })].flatMap(({ start: { parent } }) => parent ?? []);
  const meant = [...new Set(known)].filter((id) => id.startsWith(given));
  return meant.length === 0 ? given : knownId(given, meant, { what: 'call', list: 'synapse log --json shows whole ids.' });
}

type Wanted = Readonly<{ tool?: string | undefined; session?: string | undefined; parent?: string | undefined }>;

const filterOf = ({ tool, session, parent }: Wanted, root: string): AuditFilter => ({
  ...(tool === undefined ? {} : { tool }),
  ...(session === undefined ? {} : { session: sessionMeant(session, root) }),
  ...(parent === undefined ? {} : { parent: callMeant(parent, root) }),
});

export const command = defineCommand({
  details: 'Every call of every process, oldest first. A call is "interrupted" if its process was killed before it ended.',
  options: {
    workspace,
    branch,
    json,
    follow: flag('keep printing calls as they end', { short: 'f' }),
    tool: text('<name>', 'calls of this tool only'),
    session,
    parent: text('<call>', 'calls that this call made, such as those of a program', { rare: true }),
    since: parsed('<time>', 'calls since then: 30m, 2h, 7d or a date', TIME),
    limit,
  },
  examples: [
    ['synapse log', 'the last 50 calls in this folder'],
    ['synapse log --since 2h --tool run_command', 'what ran in the last two hours'],
    ['synapse log --follow --json', 'each call as it ends, one JSON object a line'],
  ],
  showsRecords: true,
  async run({ options, out, err, signal }) {
    const root = workspaceRoot(options.workspace);
    const { session } = options;
    const filter = filterOf(options, root);
    const past = { ...filter, limit: options.limit ?? DEFAULT_LIMIT, ...(options.since === undefined ? {} : { since: options.since }) };
    const state = defaultStateFolder();
    // Programs read all calls, and a person the calls of one that was named.
    const isWhole = options.json || options.parent !== undefined || options.follow;
    const { limit: most, ...all } = past;
    const calls = isWhole ? [...queryAudit(state, root, past)].toReversed() : foldNested(queryAudit(state, root, all), most);
    if (options.json && !options.follow) {
      printJson(out, { calls });
      return 0;
    }
    const show = async (call: AuditedCall): Promise<void> => {
      if (options.json) return out.write(`${visibleJson(JSON.stringify(call))}\n`);
      const columns = out.isTerminal ? out.columns : undefined;
      // Only a failed call shows its arguments.
      const defaults = call.end?.ok === true ? undefined : await defaultsOfTool(call.tool);
      out.write(`${callLine(call, { columns, defaults })}\n`, STYLES[call.status]);
    };
    for (const row of calls) {
      if ('more' in row)
        out.write(`… ${count(row.more, 'more call')} of ${row.parent.slice(0, 8)}: synapse log --parent ${row.parent.slice(0, 8)}\n`, 'dim');
      else await show(row);
    }
    if (options.follow) for await (const call of followAudit(defaultStateFolder(), root, filter, signal)) await show(call);
    else if (calls.length === 0) err.write(`No such calls are in the audit log of this folder.${nearSessions(session, root)}\n`, 'dim');
    else if (calls.length === past.limit) err.write(`The last ${past.limit}; --limit shows more.\n`, 'dim');
    return 0;
  },
});
