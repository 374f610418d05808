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
  const state = server?.state;
  const redact = redactor(config.secrets);
  const reason = refusal === undefined ? reasonOf(state) : `${refusal.reason}. ${refusal.hint}`;
  const said = state?.kind === 'ready' ? undefined : server?.said;
  return {
    name: serverName(config.name),
    state: refusal?.state ?? state?.kind ?? 'failed',
    ...(reason === undefined ? {} : { reason }),
    target: launchLabel(config.launch, redact),
    origin: config.origin,
    ...(said === undefined || said.stderr.length + said.stdout.length === 0 ? {} : { said }),
    ...(refusal?.state === 'unapproved' || refusal?.state === 'untrusted' ? { wants: launchLines(config, redact) } : {}),
    ...(server?.facts === undefined ? {} : { connection: server.facts }),
    tools: server?.listed.map(({ name }) => name) ?? [],
    pendingReview: server?.unpinned.map(({ definition: { name, hash }, kind, difference }) => ({ name, kind, difference, hash })) ?? [],
    problems: [...(server?.problems ?? []), ...(isLeftOut ? ['its tools are left out: a provider could not tell the name of one from another'] : [])],
  };
}

function reasonOf(state: RemoteServer['state'] | undefined): string | undefined {
  return state !== undefined && 'reason' in state ? state.reason : undefined;
}
