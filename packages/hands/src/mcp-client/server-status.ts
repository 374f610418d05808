import { redactor } from '../audit/redact.ts';
import { launchLabel, launchLines, type ServerConfig } from './config/server-config.ts';
import type { McpServerStatus } from './mcp-status.ts';
import type { Refusal } from './pins/server-refusal.ts';
import type { RemoteServer } from './remote-server.ts';
import { serverName } from './tool-name.ts';

/** A configured server: started, or why not. */
export interface ServerEntry {
  readonly config: ServerConfig;
  server: RemoteServer | undefined;
  refusal: Refusal | undefined;
}

/**
 * Describes a server for users, without its secrets.
 *
 * @param isLeftOut whether its tools are not published, because their names are ambiguous
 */
export function statusOf({ config, server, refusal }: ServerEntry, isLeftOut: boolean): McpServerStatus {
  const redact = redactor(config.secrets);
  const needsReview = refusal?.state === 'unapproved' || refusal?.state === 'untrusted';
  return {
    name: serverName(config.name),
    ...conditionOf(server, refusal),
    target: launchLabel(config.launch, redact),
    origin: config.origin,
    ...saidBy(server),
    ...(needsReview ? { wants: launchLines(config, redact) } : {}),
    ...(server?.facts === undefined ? {} : { connection: server.facts }),
    tools: server?.listed.map(({ name }) => name) ?? [],
    pendingReview: server?.unpinned.map(({ definition: { name, hash }, kind, difference }) => ({ name, kind, difference, hash })) ?? [],
    problems: [...(server?.problems ?? []), ...(isLeftOut ? ['its tools are left out: a provider could not tell the name of one from another'] : [])],
  };
}

/** What it is doing, and why it is not ready. A refusal counts before what it did earlier. */
function conditionOf(server: RemoteServer | undefined, refusal: ServerEntry['refusal']): Pick<McpServerStatus, 'state' | 'reason'> {
  if (refusal !== undefined) return { state: refusal.state, reason: `${refusal.reason}. ${refusal.hint}` };
  if (server === undefined) return { state: 'failed' };
  const { state } = server;
  const reason = 'reason' in state ? state.reason : undefined;
  return { state: state.kind, ...(reason === undefined ? {} : { reason }) };
}

/** The last words of one that is not ready. */
function saidBy(server: RemoteServer | undefined): Pick<McpServerStatus, 'said'> {
  if (server === undefined || server.state.kind === 'ready') return {};
  const { said } = server;
  return said === undefined || said.stderr.length + said.stdout.length === 0 ? {} : { said };
}
