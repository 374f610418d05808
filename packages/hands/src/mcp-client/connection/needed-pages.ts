import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { RemoteCall } from './connection.ts';
import { putQuestion } from './questions.ts';

/** Maximum number of pages that one call may ask to open. */
const MAX_PAGES = 3;

const NEEDED = z.looseObject({
  code: z.literal(-32042),
  data: z.looseObject({ elicitations: z.array(z.looseObject({ mode: z.literal('url') })).min(1) }),
});

/**
 * Asks the user to open the pages that a server requires before it handles a request: servers of 2025-11-25 return these
 * in an error. Undefined for any other error.
 */
export async function openNeededPages(error: unknown, server: string, call: Pick<RemoteCall, 'fill'>): Promise<SynapseError | undefined> {
  const read = NEEDED.safeParse(error);
  if (!read.success) return undefined;
  for (const page of read.data.data.elicitations.slice(0, MAX_PAGES)) {
    const { action } = await putQuestion(page, call);
    if (action !== 'accept') {
      return new SynapseError(
        'unavailable',
        `The MCP server ${server} needs its person to open a page first, which they ${action === 'decline' ? 'declined' : 'did not'}.`,
        {
          hint: 'Continue without it.',
        },
      );
    }
  }
  return new SynapseError('unavailable', `The MCP server ${server} needs its person to finish something on a page first, which they open now.`, {
    retryable: true,
    hint: 'Repeat the call once they say that it is done.',
  });
}
