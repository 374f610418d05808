import { defaultStateFolder } from '@synapse/hands/internal';
import { relayAdmin, type RelayAdmin } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import { join, resolve } from 'node:path';
import { text, type OptionValues } from '../command/option.ts';
import { natsFrom, natsOptions } from './nats-options.ts';

/** Options of every relay command. */
export const data = text('<dir>', 'the folder of the relay (default: in the state folder)');

export const relayFolder = (given: string | undefined): string => (given === undefined ? join(defaultStateFolder(), 'relay') : resolve(given));

const TOKEN = 'SYNAPSE_RELAY_TOKEN';

/** Options of every command for a relay's owner. */
export const ownerOptions = {
  data,
  url: text('<url>', `of a relay on Cloudflare; its token is read from ${TOKEN}`),
  ...natsOptions,
} as const;

/** The owner's interface of a relay. @throws SynapseError `invalid_arguments` for a Worker without its token */
export async function openRelayAdmin(options: OptionValues<typeof ownerOptions>): Promise<RelayAdmin> {
  const { data: folder, url } = options;
  const nats = natsFrom(options, { '--data': folder, '--url': url });
  if (nats !== undefined) return (await import('@synapse/remote/nats')).natsRelayAdmin(nats);
  if (url === undefined) return relayAdmin({ folder: relayFolder(folder) });
  const token = process.env[TOKEN];
  if (token !== undefined && token !== '' && URL.canParse(url)) return relayAdmin({ url, token });
  throw new SynapseError('invalid_arguments', URL.canParse(url) ? `${TOKEN} is not set.` : `Not a URL: ${url.slice(0, 100)}`, {
    hint: 'The token is the ADMIN_TOKEN that you gave to wrangler secret put; the URL is that of the Worker.',
  });
}
