import { connectHands, type RemoteEvent, type RemoteHands, type BrainCredentials } from '@synapse/remote/brain';
import { SynapseError } from '@synapse/protocol';
import { CLOSE_CODES } from '@synapse/protocol/remote';
import type { CommandIo } from '../command/command.ts';
import { findDevice, KnownMachines, openFarHands, openNodeSocket, sessionUrl, type FarHands } from '@synapse/remote';
import { remoteFolder } from './remote-folder.ts';

/** The keys for using a machine; undefined if this device is not paired with it. */
async function brainCredentials(address: string): Promise<BrainCredentials | undefined> {
  const folder = remoteFolder();
  const machine = new KnownMachines(folder).find(sessionUrl(address));
  const device = machine === undefined ? undefined : await findDevice(folder);
  return machine === undefined || device === undefined ? undefined : { device, machine: machine.identity };
}

/** Whether a relay refused this device, and not, for example, its version. */
const isRefusedKey = (event: RemoteEvent): boolean =>
  event.type === 'line' && event.status === 'stopped' && event.text.startsWith(CLOSE_CODES.unauthorized.text);

/** The message for a connection state; undefined for expected ones. */
function lineOf(event: RemoteEvent): string | undefined {
  if (event.type === 'machine') return event.online ? undefined : 'The machine is not connected. The call waits for it; Ctrl+C cancels.';
  if (event.type === 'warning') return event.text;
  if (event.type !== 'line') return undefined;
  return event.status === 'offline' ? `${event.text} Trying again.` : undefined;
}

/** Connects to a session. Prints problems of the connection on stderr, each one once until it works again. */
export async function connectFarAway(address: string, { err }: Pick<CommandIo, 'err'>): Promise<RemoteHands> {
  const credentials = await brainCredentials(address);
  const hands = connectHands(address, { openSocket: openNodeSocket, ...(credentials === undefined ? {} : { credentials }) });
  const told = new Set<string>();
  hands.subscribe((event) => {
    if (credentials === undefined && isRefusedKey(event))
      err.write(`This device has no keys for that machine. Pair it: synapse pair ${address}\n`, 'yellow');
    if (event.type === 'line' && event.status === 'online') told.clear();
    const line = lineOf(event);
    if (line === undefined || told.has(line)) return;
    told.add(line);
    err.write(`${line}\n`, 'dim');
  });
  return hands;
}

/** Remote hands for a server or an agent, until they are disposed. */
export interface OpenedFarHands extends AsyncDisposable {
  readonly far: FarHands;
  readonly hands: RemoteHands;
}

/** Connects and reads the list of tools. Waits for a machine that is not connected; fails if the relay refuses for good. */
export async function openFarAway(address: string, dialect: string | undefined, io: Pick<CommandIo, 'err' | 'signal'>): Promise<OpenedFarHands> {
  await using stack = new AsyncDisposableStack();
  const hands = stack.use(await connectFarAway(address, io));
  const refused = Promise.withResolvers<never>();
  hands.subscribe((event) => {
    if (event.type === 'line' && event.status === 'stopped') refused.reject(new SynapseError(event.error ?? 'unavailable', event.text));
  });
  const far = await Promise.race([openFarHands(hands, dialect, io.signal), refused.promise]);
  refused.promise.catch(() => {});
  const opened = stack.move();
  return { far, hands, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
