import * as zlib from 'node:zlib';
import { SynapseError } from '@synapse/protocol';
import type * as undici from 'undici';

/** The oldest Node that undici supports. */
export const FETCHING_NODE = '22.19';

/** Whether this Node has what undici imports: the first releases of Node 22 lack zstd. */
export function canFetch(compression: object = zlib): boolean {
  return 'createZstdDecompress' in compression;
}

/** @throws SynapseError `unavailable` if this Node is too old for it */
export async function loadHttpClient(works = canFetch()): Promise<typeof undici> {
  if (works) return await import('undici');
  throw new SynapseError('unavailable', `Pages cannot be fetched with Node ${process.versions.node}.`, {
    hint: `Use Node ${FETCHING_NODE} or newer. Every other tool works with this one.`,
  });
}
