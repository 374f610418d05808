import { createHands } from '@synapse/hands';
import { ConnectedHands, serveRelay, sessionUrl } from '@synapse/remote';
import { connectHands, type BrainCredentials, type RemoteHands } from '@synapse/remote/brain';
import { createDevice, deviceId, openDevice } from '@synapse/protocol/remote';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Door, DoorOptions } from './doors.ts';

/** Hands behind a relay, and a paired brain that uses them. */
export interface RemotePlace extends AsyncDisposable {
  readonly brain: RemoteHands;
  /** URL of the relay. */
  readonly relay: string;
  /** Credentials of the brain. */
  readonly credentials: BrainCredentials;
}

/** Opens hands on a folder for remote use: sealed, through a relay that stores all messages. */
export async function remotePlace({
  root,
  state,
  allow,
  isPaired = true,
}: DoorOptions & { readonly allow: readonly ('write' | 'exec' | 'fetch' | 'mcp')[]; readonly isPaired?: boolean }): Promise<RemotePlace> {
  await using stack = new AsyncDisposableStack();
  const hands = stack.use(await createHands({ workspace: root, stateFolder: join(state, 'synapse'), allow: [...allow] }));
  const relay = stack.use(await serveRelay({ port: 0, file: join(await mkdtemp(join(state, 'relay-')), 'relay.sqlite') }));
  const [machine, device] = [await createDevice(), await createDevice()];
  const grant = { identity: device.identity, name: 'brain', role: 'brain' as const, tools: ['*'], approves: [], maxRunning: 8 };
  const grants = new Map([[deviceId(device.identity), { ...grant, expires: Date.now() + 3_600_000 }]]);
  const connected = stack.use(
    new ConnectedHands(hands, {
      url: sessionUrl(relay.url, 'desk'),
      name: 'desk',
      stateFolder: join(state, 'synapse'),
      ...(isPaired ? { pairing: { device: await openDevice(machine), grants: () => grants, version: () => '' } } : {}),
    }),
  );
  connected.stopped.catch(() => {});
  const brain = stack.use(connectHands(relay.url, { session: 'desk', ...(isPaired ? { credentials: { device, machine: machine.identity } } : {}) }));
  const opened = stack.move();
  return { brain, relay: relay.url, credentials: { device, machine: machine.identity }, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Opens the door of remote hands. */
export async function openRemote(options: DoorOptions): Promise<Door> {
  const place = await remotePlace({ ...options, allow: ['write', 'exec', 'fetch', 'mcp'] });
  return {
    lasting: true,
    memory: undefined,
    async call(tool, input) {
      const result = await place.brain.call(tool, input);
      return { ok: result.ok, text: JSON.stringify(result), code: result.ok ? undefined : result.error.code };
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}
