import { queryAudit, type AuditedCall } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { McpResource, McpResourceContent, ResourceRequest } from './resource.ts';

const DEFAULT_COUNT = 50;
const MAX_COUNT = 500;
/** Maximum number of characters per read. Records are bounded, but at far more than a usual call needs. */
const MAX_CHARACTERS = 256 * 1024;
/** Maximum number of calls searched for visible ones: a rarely used tool must not cause a scan of a log of years. */
const MAX_LOOKED_AT = 5_000;

/** Location of the audit records. */
export interface AuditPlace {
  readonly stateFolder: string;
  /** Real path of the workspace; only its log is read. */
  readonly workspace: string;
}

/** Drops the cause of a failure, which describes this machine; a model gets what its results had. */
function forModels({ end, ...call }: AuditedCall): object {
  if (end === undefined) return call;
  const { cause: _, ...told } = end;
  return { ...call, end: told };
}

/** Returns the newest calls that fit and are visible to the client, oldest first as in the log. */
function tail({ stateFolder, workspace }: AuditPlace, { uri, mayHearOf }: ResourceRequest, count: number): McpResourceContent[] {
  const lines: string[] = [];
  let left = MAX_CHARACTERS;
  for (const call of queryAudit(stateFolder, workspace, { limit: MAX_LOOKED_AT })) {
    if (lines.length === count) break;
    // A client must not see calls to tools it was denied: their arguments reveal much.
    if (!mayHearOf(call.tool)) continue;
    const line = JSON.stringify(forModels(call));
    left -= line.length;
    if (left < 0 && lines.length > 0) break;
    lines.push(line);
  }
  return [
    {
      uri,
      mimeType: 'application/x-ndjson',
      text: lines
        .toReversed()
        .map((line) => `${line}\n`)
        .join(''),
    },
  ];
}

function countOf(text: string | undefined): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1 && count <= MAX_COUNT) return count;
  throw new SynapseError('invalid_arguments', `An audit reading has 1 to ${MAX_COUNT} calls.`, { hint: 'Such as synapse://audit/newest/100.' });
}

/**
 * The end of the audit log of a project as stored: without secrets, and with long texts truncated. A client that is
 * offered only some tools sees only the calls of those.
 */
export function auditResources(place: AuditPlace): McpResource[] {
  const common = { mimeType: 'application/x-ndjson', uses: [] };
  return [
    {
      ...common,
      uri: 'synapse://audit',
      name: 'audit',
      title: 'Audit log',
      description: `The last ${DEFAULT_COUNT} calls in this project, one JSON object a line, the newest last.`,
      read: async (request) => tail(place, request, DEFAULT_COUNT),
    },
    {
      ...common,
      uri: 'synapse://audit/newest/{count}',
      name: 'audit-newest',
      title: 'Audit log, so many calls',
      description: `The last calls in this project, up to ${MAX_COUNT}.`,
      complete: { count: ['10', '50', '100', '500'] },
      read: async (request) => tail(place, request, countOf(request.variables['count'])),
    },
  ];
}
