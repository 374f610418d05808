import type { Hands } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { McpResource, McpResourceContent, ResourceRequest } from './resource.ts';

/** The part of a handle after `spill:`. Anything else would be read as a file name in the workspace. */
const ID = /^[a-z0-9]{24}$/u;

function firstLine(text: string | undefined): number {
  const line = Number(text ?? '1');
  if (Number.isSafeInteger(line) && line >= 1) return line;
  throw new SynapseError('invalid_arguments', 'A stored output is read from a line, counted from 1.');
}

/** Reads through the pipeline: policy, limits and audit apply as to any other call. */
async function read(
  hands: Pick<Hands, 'call'>,
  { uri, variables: { id = '', line }, sessionId, signal }: ResourceRequest,
): Promise<McpResourceContent[]> {
  if (!ID.test(id)) throw new SynapseError('not_found', 'Not a handle of a stored output.', { hint: 'It is the text after spill: in an answer.' });
  const result = await hands.call('read_file', { path: `spill:${id}`, offset: firstLine(line) }, { sessionId, signal });
  if (!result.ok) {
    const { code, message, hint } = result.error;
    throw new SynapseError(code, message, hint === undefined ? {} : { hint });
  }
  const { content, last_line: last, truncated } = result.data;
  const contents: McpResourceContent[] = [{ uri, mimeType: 'text/plain', text: content }];
  if (truncated) contents.push({ uri, mimeType: 'text/plain', text: `[It goes on at synapse://spills/${id}/from/${last + 1}]` });
  return contents;
}

/**
 * Outputs that were too long to show, by the handle in the result. They are not listed: only clients that received
 * a handle may read its output.
 */
export function spillResources(hands: Pick<Hands, 'call'>): McpResource[] {
  const common = { mimeType: 'text/plain', uses: ['read_file'], read: (request: ResourceRequest) => read(hands, request) };
  return [
    {
      ...common,
      uri: 'synapse://spills/{id}',
      name: 'spill',
      title: 'Stored output',
      description: 'The output of a call that was too long to show. The id is what is behind spill: in its handle.',
    },
    {
      ...common,
      uri: 'synapse://spills/{id}/from/{line}',
      name: 'spill-from-line',
      title: 'Stored output, from a line on',
      description: 'The rest of a stored output, from a line on, counted from 1.',
    },
  ];
}
