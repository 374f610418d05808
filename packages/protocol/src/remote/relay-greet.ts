import { begin, canResume, creditOf, resume, type Channel } from './channel.ts';
import type { CloseReason } from './close-codes.ts';
import { deviceId } from './device.ts';
import { controlText, PROTOCOL_VERSION, type ControlFrames, type Peer } from './frames.ts';
import {
  chain,
  changed,
  close,
  emit,
  putParty,
  putSession,
  tell,
  texts,
  type CheckedProof,
  type Party,
  type RelayState,
  type RelayStep,
  type Then,
} from './relay-state.ts';

const MAX_BRAINS = 32;

/** Places of one device, so that it cannot keep the others out: an equal part for each device that the machine lets in. */
const shareOf = ({ access, grants }: RelayState): number =>
  access === 'open' ? MAX_BRAINS : Math.max(1, Math.floor(MAX_BRAINS / Math.max(1, grants?.length ?? 0)));

/** Frees a place for another brain of a device. Returns undefined if there is none. */
function withPlaceFor(state: RelayState, device: string | undefined): RelayStep | undefined {
  const brains = [...state.parties.values()].filter(({ role }) => role === 'brain').toSorted((a, b) => a.seen - b.seen);
  const share = shareOf(state);
  const own = brains.filter((one) => one.device === device);
  const isOver = state.access !== 'open' && own.length >= share;
  if (!isOver && brains.length < MAX_BRAINS) return [state, []];
  // The one that has been disconnected longest. It starts a new channel if it reconnects.
  const gone = (isOver ? own : brains).find(({ conn }) => conn === undefined);
  // A device that was paired since has its place, too.
  const excess = isOver ? undefined : brains.find((one) => brains.filter((other) => other.device === one.device).length > share);
  const leaving = gone ?? excess;
  if (leaving === undefined) return undefined;
  const left: RelayState = { ...state, parties: changed(state.parties, leaving.inst, undefined) };
  return leaving.conn === undefined ? [left, []] : close(leaving.conn, 'busy')(left);
}

export const isOnline = (state: RelayState): boolean => state.hands !== undefined && state.parties.get(state.hands)?.conn !== undefined;

const peerOf = (state: RelayState): Peer => ({
  online: isOnline(state),
  epoch: state.epoch,
  ...(state.ledger === undefined ? {} : { ledger: state.ledger }),
});

/** Reports the state of the hands to the brains. Disconnected ones get it when they reconnect. */
export function tellBrains(state: RelayState): RelayStep {
  const there = [...state.parties.values()].filter(({ role, conn }) => role === 'brain' && conn !== undefined);
  return chain(state, ...there.map(({ inst }) => tell(inst, { type: 'peer', ...peerOf(state) })));
}

/** Returns the reason a party is rejected; undefined if it is accepted. */
function entryRefusal(state: RelayState, hello: ControlFrames['hello'], proof: CheckedProof | undefined, now: number): CloseReason | undefined {
  if (state.access === 'open') return undefined;
  if (proof === undefined || proof.identity !== hello.identity) return 'unauthorized';
  if (hello.role === 'hands') {
    if (!proof.enrolled) return 'unauthorized';
    return state.owner === undefined || state.owner === proof.identity ? undefined : 'out_of_scope';
  }
  // The machine has not sent its grants yet, or this relay lost them. This is temporary.
  if (state.grants === undefined) return 'unclaimed';
  const grant = state.grants.find(({ identity }) => identity === proof.identity);
  if (grant !== undefined && now < grant.expires) return undefined;
  // Only the machine knows its grants. While it is away, these may be those of before, as after a pairing or a backup.
  return isOnline(state) ? 'out_of_scope' : 'unclaimed';
}

/** Whether another machine has claimed the session since. It wins, and this one must not reconnect. */
const isReplaced = ({ epoch, hands }: RelayState, hello: ControlFrames['hello']): boolean =>
  hello.epoch > 0 && hello.epoch < epoch && hello.inst !== hands;

export function greet(state: RelayState, conn: number, hello: ControlFrames['hello'], proof: CheckedProof | undefined, now: number): RelayStep {
  if (hello.v !== PROTOCOL_VERSION) return close(conn, 'version')(state);
  const refused = entryRefusal(state, hello, proof, now);
  if (refused !== undefined) return close(conn, refused)(state);
  const device = proof === undefined ? undefined : deviceId(proof.identity);
  const isHands = hello.role === 'hands';
  if (isHands && isReplaced(state, hello)) return close(conn, 'replaced')(state);
  // A brain that poses as the hands' process would get their calls, and lock them out. It knows the name: sealed frames carry it.
  if (!isHands && hello.inst === state.hands) return close(conn, 'malformed')(state);
  const known = state.parties.get(hello.inst);
  if (known !== undefined && (known.role !== hello.role || known.device !== device)) return close(conn, 'malformed')(state);
  const place = isHands || known !== undefined ? emit()(state) : withPlaceFor(state, device);
  if (place === undefined) return close(conn, 'busy')(state);
  return chain(place[0], emit(...place[1]), (freed) => admit(freed, conn, hello, proof, now));
}

/** A party's channel on a new connection. */
interface Line {
  /** Whether it is the channel of before. */
  readonly goesOn: boolean;
  readonly channel: Channel;
  /** What the party has not received of it. */
  readonly again: readonly string[];
}

/** Goes on with the channel of before if both ends can, and otherwise begins a new one. */
function lineFor({ inst }: RelayState, known: Party | undefined, { recv, credit, appends = false }: ControlFrames['hello']): Line {
  if (known === undefined || known.channel.appends !== appends || recv?.relay !== inst || !canResume(known.channel, recv.seq))
    return { goesOn: false, channel: begin(credit, appends), again: [] };
  const [channel, again] = resume(known.channel, recv.seq, credit);
  return { goesOn: true, channel, again };
}

/** The calls that a party gets when there is room. On a new channel, hands get all that they have not answered. */
function dueOf(state: RelayState, known: Party | undefined, { role }: ControlFrames['hello'], { goesOn }: Line): ReadonlySet<string> {
  if (goesOn && known !== undefined) return known.due;
  if (role === 'brain') return new Set();
  return new Set([...state.calls].flatMap(([id, { result }]) => (result === undefined ? [id] : [])));
}

/** Gives a connection to the party that identified itself on it. */
const identify =
  (conn: number, inst: string, now: number): Then =>
  (state) => {
    const nonce = state.connections.get(conn)?.nonce ?? '';
    return [{ ...state, connections: changed(state.connections, conn, { nonce, openedAt: now, heard: now, inst }) }, []];
  };

/** Claims the session for hands that were let in, and disconnects those of before. */
const claim =
  (hello: ControlFrames['hello'], proof: CheckedProof | undefined): Then =>
  (state) => {
    const former = state.hands === undefined || state.hands === hello.inst ? undefined : state.parties.get(state.hands);
    const left = former === undefined ? state : { ...state, parties: changed(state.parties, former.inst, undefined) };
    // A relay that lost its records must not assign a number twice.
    const epoch = Math.max(state.epoch, hello.epoch) + 1;
    return chain(
      left,
      putSession({ epoch, ledger: hello.ledger, hands: hello.inst, owner: proof?.identity ?? state.owner }),
      ...(former?.conn === undefined ? [] : [close(former.conn, 'replaced')]),
    );
  };

/** Says how the session goes on, and repeats what was not received. */
const welcome =
  (conn: number, { role }: ControlFrames['hello'], { goesOn, channel, again }: Line): Then =>
  (state) => {
    const text = controlText({
      type: 'welcome',
      epoch: state.epoch,
      resumed: goesOn,
      recv: channel.received.frames,
      credit: creditOf(channel),
      ...(role === 'hands' ? {} : { peer: peerOf(state) }),
    });
    return [state, texts(state, conn, [text, ...again])];
  };

/** Lets a party in. It has a place. */
function admit(state: RelayState, conn: number, hello: ControlFrames['hello'], proof: CheckedProof | undefined, now: number): RelayStep {
  const { role, inst } = hello;
  const device = proof === undefined ? undefined : deviceId(proof.identity);
  const known = state.parties.get(inst);
  const line = lineFor(state, known, hello);
  return chain(
    state,
    identify(conn, inst, now),
    ...(role === 'hands' ? [claim(hello, proof)] : []),
    ...(known?.conn === undefined ? [] : [close(known.conn, 'done')]),
    putParty({ role, inst, device, conn, channel: line.channel, seen: now, due: dueOf(state, known, hello, line), inbox: [] }),
    welcome(conn, hello, line),
    ...(role === 'hands' ? [tellBrains] : []),
  );
}
