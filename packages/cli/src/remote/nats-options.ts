import { SynapseError } from '@synapse/protocol';
import type { NatsOptions } from '@synapse/remote/nats';
import { list, parsed, text, type OptionValues } from '../command/option.ts';

const COPIES = { expects: '1, 3 or 5', parse: (given: string) => (['1', '3', '5'].includes(given) ? Number(given) : undefined) };

/** Options of every relay command, for a relay on NATS. */
export const natsOptions = {
  nats: list('<urls>', 'share sessions with other relays through these NATS servers'),
  natsCreds: text('<file>', 'with --nats: credentials (JWT), or the seed of an nkey', { rare: true }),
  natsReplicas: parsed('<number>', 'with --nats: copies of each message (default: 3)', COPIES, { rare: true }),
} as const;

/** The NATS servers; undefined if none are named. @throws SynapseError `invalid_arguments` for options without effect */
export function natsFrom(
  { nats, natsCreds, natsReplicas }: OptionValues<typeof natsOptions>,
  others: Readonly<Record<string, string | undefined>>,
): NatsOptions | undefined {
  const refuse = (message: string, hint: string): SynapseError => new SynapseError('invalid_arguments', message, { hint });
  if (nats.length === 0) {
    if (natsCreds === undefined && natsReplicas === undefined) return undefined;
    throw refuse('--nats-creds and --nats-replicas are for --nats.', 'Name the servers, such as --nats nats://10.0.0.1:4222.');
  }
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined) throw refuse(`--nats and ${other} exclude each other.`, `The records are at NATS: leave out ${other}.`);
  return { servers: nats, credentials: natsCreds, replicas: natsReplicas };
}
