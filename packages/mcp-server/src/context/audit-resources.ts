import { queryAudit, type AuditedCall } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { McpResource, McpResourceContent, ResourceRequest } from './resource.ts';

const DEFAULT_COUNT = 50;
const MAX_COUNT = 500;
/** Characters of one reading. A record is bounded, but by far more than a call usually needs. */
const MAX_CHARACTERS = 256 * 1024;
/** Calls that are looked at for those that may be shown: the log of years is not read for a tool that hardly anybody uses. */
const MAX_LOOKED_AT = 5_000;

/** Where the records are. */
export interface AuditPlace {
  readonly stateFolder: string;
  /** The real path of the workspace: nothing but its own log is read. */
  readonly workspace: string;
}

/** A model gets what its answers had, and not what a failure says of this machine. */
function forModels({ end, ...call }: AuditedCall): object {
  if (end === undefined) return call;
  const { cause: _, ...told } = end;
  return { ...call, end: told };
}

/** The newest calls that fit and that the client may hear of, oldest first as the log has them. */
function tail({ stateFolder, workspace }: AuditPlace, { uri, mayHearOf }: ResourceRequest, count: number): McpResourceContent[] {
  const lines: string[] = [];
  let left = MAX_CHARACTERS;
  for (const call of queryAudit(stateFolder, workspace, { limit: MAX_LOOKED_AT })) {
    if (lines.length === count) break;
    // What others do here, with tools that this client was denied, is none of its business: arguments tell much.
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
 * The end of the audit log of one project, as it is stored: without secrets, and with long texts cut. A client that is
 * offered some tools only reads of calls of those only.
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
      read: async (request) => tail(place, request, countOf(request.variables['count'])),
    },
  ];
}
