import { SynapseError } from '@synapse/protocol';
import { Identity, StoredDevice } from '@synapse/protocol/remote';
import * as z from 'zod';
import type { BrainCredentials } from './brain-options.ts';

const Credentials = z.object({ device: StoredDevice, machine: Identity });

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The schema rejects it. The parser's message would show a part of the secret.
    return undefined;
  }
}

/** Reads what `synapse pair --print-credentials` printed. @throws SynapseError `invalid_arguments` for anything else, without showing it */
export function readCredentials(given: BrainCredentials | string): BrainCredentials {
  const read = Credentials.safeParse(typeof given === 'string' ? parse(given) : given);
  if (read.success) return read.data;
  throw new SynapseError('invalid_arguments', 'Not the credentials of a paired agent.', {
    hint: 'Pass what synapse pair wss://HOST#SESSION --print-credentials printed, as text or parsed.',
  });
}
