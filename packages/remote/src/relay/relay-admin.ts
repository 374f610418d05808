import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { isLoopback } from '../session-url.ts';
import { createInvitation, Machine } from './enrollment.ts';
import { RelayRecords } from './relay-records.ts';

/** The functions of a relay's owner. */
export interface RelayAdmin {
  /** Creates an invitation for one machine and replaces an earlier one. @returns its code */
  invite(): Promise<string>;
  machines(): Promise<readonly Machine[]>;
  /** Removes machines and returns them. */
  remove(isMeant: (machine: Machine) => boolean): Promise<readonly Machine[]>;
}

/** Milliseconds in which a relay answers. */
const ANSWER_MS = 30_000;

const MachineList = z.object({ machines: z.array(Machine) });

/** Returns the base of a relay's HTTP API. @throws SynapseError `invalid_arguments` for one to which the token would be sent unencrypted */
function apiBase(given: string): string {
  const url = given.replace(/^ws/u, 'http');
  const { protocol } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(url))) return url;
  throw new SynapseError('invalid_arguments', 'The token of the relay would be sent unencrypted, so nothing was sent.', {
    hint: 'Give the URL of the Worker, which starts with https://.',
  });
}

function overHttp(url: string, token: string): RelayAdmin {
  const base = apiBase(url);
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const address = new URL(`/v1/admin/${path}`, base);
    // A redirection could lead the token elsewhere.
    const init = {
      method,
      redirect: 'manual' as const,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await fetch(address, init).catch((cause: unknown) => {
      throw new SynapseError('unavailable', `The relay at ${address.host} cannot be reached.`, { hint: 'Check the URL and the network.', cause });
    });
    if (response.ok) return response;
    throw new SynapseError('denied', `The relay refused: HTTP ${response.status}.`, {
      hint: response.status === 401 ? 'Set SYNAPSE_RELAY_TOKEN to the ADMIN_TOKEN of the Worker.' : 'Check the URL.',
    });
  };
  const machines = async (): Promise<readonly Machine[]> => MachineList.parse(await (await ask('GET', 'machines')).json()).machines;
  return {
    invite: async () => {
      const { code, invitation } = await createInvitation();
      await ask('PUT', 'invitation', invitation);
      return code;
    },
    machines,
    remove: async (isMeant) => {
      const removed = (await machines()).filter(isMeant);
      for (const { identity } of removed) await ask('DELETE', `machines?identity=${encodeURIComponent(identity)}`);
      return removed;
    },
  };
}

function inFolder(folder: string): RelayAdmin {
  const records = new RelayRecords(folder);
  return {
    invite: async () => {
      const { code, invitation } = await createInvitation();
      records.setInvitation(invitation);
      return code;
    },
    machines: () => Promise.resolve(records.machines()),
    remove: (isMeant) => Promise.resolve(records.remove(isMeant)),
  };
}

/** Returns the owner's functions for a relay: through its folder on this machine, or through a Worker's HTTP API. */
export function relayAdmin(relay: { readonly folder: string } | { readonly url: string; readonly token: string }): RelayAdmin {
  return 'folder' in relay ? inFolder(relay.folder) : overHttp(relay.url, relay.token);
}
