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
    ...(server === undefined ? { state: 'failed', ...NOTHING } : runningStatus(server)),
    ...(refusal === undefined ? {} : { state: refusal.state, reason: `${refusal.reason}. ${refusal.hint}` }),
    target: launchLabel(config.launch, redact),
    origin: config.origin,
    ...(needsReview ? { wants: launchLines(config, redact) } : {}),
    problems: [...(server?.problems ?? []), ...(isLeftOut ? ['its tools are left out: a provider could not tell the name of one from another'] : [])],
  };
}

const NOTHING = { tools: [], pendingReview: [] } as const;

/** What a server that was started says of itself. */
function runningStatus({
  state,
  said,
  facts,
  listed,
  unpinned,
}: RemoteServer): Pick<McpServerStatus, 'state' | 'reason' | 'said' | 'connection' | 'tools' | 'pendingReview'> {
  const words = state.kind === 'ready' ? undefined : said;
  return {
    state: state.kind,
    ...('reason' in state ? { reason: state.reason } : {}),
    ...(words === undefined || words.stderr.length + words.stdout.length === 0 ? {} : { said: words }),
    ...(facts === undefined ? {} : { connection: facts }),
    tools: listed.map(({ name }) => name),
    pendingReview: unpinned.map(({ definition: { name, hash }, kind, difference }) => ({ name, kind, difference, hash })),
  };
}
