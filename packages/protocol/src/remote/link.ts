import type { ErrorCode } from '../error-codes.ts';
import { backoffMs, STABLE_MS } from './backoff.ts';
import { baseResult, type BaseCall } from './base-call.ts';
import {
  acknowledge,
  begin,
  canResume,
  creditOf,
  NEW_CHANNEL,
  receive,
  resume,
  ROOM,
  send,
  sendLossy,
  suspend,
  tellIfBehind,
  type Channel,
} from './channel.ts';
import { clockText } from './clock-skew.ts';
import { CLOSE_CODES, closeMeaning, type CloseReason } from './close-codes.ts';
import { checkSum, SUM_LENGTH, withSum } from './frame-sum.ts';
import {
  controlText,
  MAX_EPOCH,
  MAX_FRAME,
  parseText,
  PROTOCOL_VERSION,
  type ControlFrames,
  type DataFrame,
  type ParsedText,
  type Peer,
} from './frames.ts';

/** Milliseconds of silence after which to ping, and after which the connection is dead. */
const ASK_AFTER_MS = 25_000;
const DEAD_AFTER_MS = 60_000;
/** Milliseconds in which one ping is answered. */
const PONG_MS = 1_000;
/** Milliseconds to wait for the relay's greeting. Brains without the protocol never send one, so unpaired hands wait without a limit. */
const GREETING_MS = 10_000;
/** The code of a connection that ended without one (RFC 6455, 7.4.1). */
const NO_REASON = 1006;
/** Maximum length of a call without the protocol. It has no other way to send a long file. */
const MAX_BASE_CALL = 1_048_576;
/** Refusals in a row after which a machine believes a relay that let it in before: about a week, with the longest waits. */
const MAX_REFUSALS = 20_000;
/** Refusals in a row after which a brain believes that the machine did not grant it the session: about two seconds. */
const MAX_EARLY = 3;
const MAY_BE_RESTORED = ' The relay let this machine in before, so its records may be those of a backup.';
const NOT_OPENED = 'The relay cannot be reached. See that it runs, that the URL is right, and for a web page that the relay allows its origin.';

/** Identity of a party. */
export interface Identity {
  readonly role: 'hands' | 'brain';
  /** New at each start of the process. */
  readonly inst: string;
  /** The ledger of hands. */
  readonly ledger?: string;
  /** The public keys of a paired device. It proves on each connection that it has the private keys. */
  readonly identity?: string;
}

/** A party's line to the relay, across connections. */
export interface Link {
  readonly identity: Identity;
  /**
   * `silent`: connected, nothing received. `greeting`: hello sent. `up`: welcomed. `base`: the other side only knows
   * calls and results. `stopped`: it must not reconnect.
   */
  readonly phase: 'down' | 'silent' | 'greeting' | 'up' | 'base' | 'stopped';
  /** Number of the current connection. Events of others are ignored. */
  readonly conn: number;
  readonly epoch: number;
  /** The relay's nonce of this connection; empty before its challenge. Texts of other connections do not fit it. */
  readonly nonce: string;
  /** The relay instance that the channel belongs to. */
  readonly relay: string | undefined;
  /** The relay instance that received the hello. The channel belongs to it after its welcome, not before, because a welcome may be lost. */
  readonly greeted: string | undefined;
  /** Whether it can read texts that are appended to their frames. */
  readonly appends: boolean;
  /** The hello to send once it is signed. */
  readonly hello: ControlFrames['hello'] | undefined;
  readonly channel: Channel;
  readonly attempt: number;
  /** Refusals in a row; of hands, by a relay that let them in before, and undefined if it never did. */
  readonly refusals: number | undefined;
  /** Start of the current outage. */
  readonly brokenAt: number;
  readonly since: number;
  readonly heard: number;
  /** When the last ping on this connection was answered. */
  readonly ponged: number;
  /** What users were told about this connection without the protocol: that nothing arrived, or that a message was ignored. */
  readonly noted: 'nothing' | 'ignored' | undefined;
  /** Milliseconds by which the clock here is ahead of the relay's. */
  readonly skew: number;
}

/** An event of a connection. `now` in milliseconds; `jitter` from 0 to 1. */
export type LinkEvent =
  | { readonly type: 'opened'; readonly conn: number; readonly now: number }
  | { readonly type: 'text'; readonly conn: number; readonly text: string; readonly now: number }
  | { readonly type: 'closed'; readonly conn: number; readonly code: number; readonly now: number; readonly jitter: number }
  /** The answer to a `prove` effect. */
  | { readonly type: 'proved'; readonly conn: number; readonly proof: string; readonly now: number }
  | { readonly type: 'tick'; readonly now: number };

export type LinkEffect =
  | { readonly type: 'connect'; readonly conn: number; readonly afterMs: number }
  | { readonly type: 'send'; readonly conn: number; readonly text: string }
  | { readonly type: 'close'; readonly conn: number; readonly code: number; readonly reason: string }
  /** Sign this, and answer with `proved`. */
  | { readonly type: 'prove'; readonly conn: number; readonly nonce: string; readonly hello: ControlFrames['hello'] }
  /** Status of the connection, for users. `error`: why it stopped for good. */
  | {
      readonly type: 'status';
      readonly status: 'online' | 'base' | 'offline' | 'stopped';
      readonly text: string;
      readonly retryMs?: number;
      readonly error?: ErrorCode;
    };

/** Input for the role that uses the link. */
export type Incoming =
  | { readonly type: 'frame'; readonly frame: DataFrame }
  | { readonly type: 'base_call'; readonly call: BaseCall; readonly length: number }
  /** Welcomed. `resumed`: nothing was lost; otherwise all unfinished work must be sent again. */
  | { readonly type: 'welcomed'; readonly resumed: boolean; readonly peer: Peer | undefined };

/** The result of a step of the link. */
export interface LinkStep {
  readonly link: Link;
  readonly effects: readonly LinkEffect[];
  readonly incoming: readonly Incoming[];
}

/** @param isAccepted whether the relay let this party in before */
export const newLink = (identity: Identity, isAccepted = false): Link => ({
  identity,
  phase: 'down',
  conn: 0,
  epoch: 0,
  nonce: '',
  relay: undefined,
  greeted: undefined,
  appends: false,
  hello: undefined,
  channel: NEW_CHANNEL,
  attempt: 0,
  refusals: isAccepted || identity.role === 'brain' ? 0 : undefined,
  brokenAt: 0,
  since: 0,
  heard: 0,
  ponged: Number.NEGATIVE_INFINITY,
  noted: undefined,
  skew: 0,
});

const step = (link: Link, effects: readonly LinkEffect[] = [], incoming: readonly Incoming[] = []): LinkStep => ({ link, effects, incoming });
const texts = ({ conn, nonce }: Link, sent: readonly string[]): LinkEffect[] =>
  sent.map((text) => ({ type: 'send', conn, text: withSum(nonce, text) }));

/** Sends a frame about the connection, if it is up. */
export const sayControl = (link: Link, frame: ControlFrames['grants']): LinkStep =>
  step(link, link.phase === 'up' ? texts(link, [controlText(frame)]) : []);

/** Starts to connect. */
export const startLink = (link: Link): LinkStep => step({ ...link, conn: link.conn + 1 }, [{ type: 'connect', conn: link.conn + 1, afterMs: 0 }]);

/** Whether a frame may be dropped: on a slow connection (`lossy`), or if it would have to wait behind many others (`spare`). */
export type SendKind = 'sure' | 'lossy' | 'spare';

/** Sends a frame; without a connection it waits. */
export function sendFrame(link: Link, frame: DataFrame, kind: SendKind = 'sure'): LinkStep {
  if (kind === 'spare' && link.channel.waitingSize >= ROOM) return step(link);
  // What a brain sends is its own calls, which it keeps anyway. With a limit, many large ones would end each connection.
  const most = link.identity.role === 'brain' ? Number.POSITIVE_INFINITY : undefined;
  const [channel, sent] = kind === 'lossy' ? sendLossy(link.channel, frame) : send(link.channel, frame, most);
  const effects = texts(link, sent);
  // The other side has not accepted data for too long. Close the connection; the next one starts a new channel.
  if (channel.lost && !link.channel.lost && link.phase === 'up') effects.push(close(link, 'flow'));
  return step({ ...link, channel }, effects);
}

function close({ conn }: Link, reason: CloseReason): LinkEffect {
  const { code, text } = CLOSE_CODES[reason];
  return { type: 'close', conn, code, reason: text };
}

function greet(link: Link, challenge: ControlFrames['challenge']): LinkStep {
  if (!challenge.v.includes(PROTOCOL_VERSION)) return step(link, [close(link, 'version')]);
  const { identity, epoch, channel } = link;
  // What it did not receive yet was written for what it could read.
  const goesOn = challenge.relay === link.relay && !channel.lost && (challenge.appends ?? false) === channel.appends;
  const hello: ControlFrames['hello'] = {
    type: 'hello',
    v: PROTOCOL_VERSION,
    ...identity,
    // Whatever a relay said. Another one could not count on from it.
    epoch: epoch > MAX_EPOCH ? 0 : epoch,
    ...(goesOn ? { recv: { relay: challenge.relay, seq: channel.received.frames } } : {}),
    credit: creditOf(goesOn ? channel : NEW_CHANNEL),
    appends: true,
  };
  const skew = link.heard - (challenge.time ?? link.heard);
  const greeting: Link = {
    ...link,
    phase: 'greeting',
    nonce: challenge.nonce,
    greeted: challenge.relay,
    appends: challenge.appends ?? false,
    hello,
    skew,
  };
  if (identity.identity === undefined) return step(greeting, texts(greeting, [controlText(hello)]));
  return step(greeting, [{ type: 'prove', conn: link.conn, nonce: challenge.nonce, hello }]);
}

function proved(link: Link, proof: string): LinkStep {
  if (link.phase !== 'greeting' || link.hello === undefined) return step(link);
  return step({ ...link, hello: undefined }, texts(link, [controlText({ ...link.hello, proof })]));
}

function welcome(link: Link, { epoch, resumed, recv, credit, peer }: ControlFrames['welcome']): LinkStep {
  // A frame that the relay lacks is here no more: an acknowledgment of another connection came again. The next connection begins anew.
  if (resumed && !canResume(link.channel, recv)) return step({ ...link, channel: { ...link.channel, lost: true } }, [close(link, 'gap')]);
  const [channel, again] = resumed ? resume(link.channel, recv, credit) : [begin(credit, link.appends), []];
  const effects: LinkEffect[] = [...texts(link, again), { type: 'status', status: 'online', text: `Connected.${clockText(link.skew)}` }];
  return step({ ...link, phase: 'up', refusals: 0, epoch, relay: link.greeted, channel }, effects, [{ type: 'welcomed', resumed, peer }]);
}

function control(link: Link, frame: Extract<ParsedText, { kind: 'control' }>['frame']): LinkStep {
  switch (frame.type) {
    case 'challenge':
      return link.phase === 'silent' ? greet(link, frame) : step(link, [close(link, 'malformed')]);
    case 'welcome':
      return link.phase === 'greeting' ? welcome(link, frame) : step(link, [close(link, 'malformed')]);
    case 'ack': {
      if (link.phase !== 'up') return step(link);
      const [channel, sent] = acknowledge(link.channel, frame.ack, frame.credit);
      return step({ ...link, channel }, texts(link, sent));
    }
    case 'ping': {
      // The other side need not read, and what is not read is kept here.
      const isSoon = link.ponged <= link.heard && link.heard - link.ponged < PONG_MS;
      return isSoon ? step(link) : step({ ...link, ponged: link.heard }, texts(link, ['pong']));
    }
    case 'pong':
      return step(link);
    case 'grants':
    case 'hello':
    default:
      return step(link, [close(link, 'malformed')]);
  }
}

function data(link: Link, { seq, ack, frame }: Extract<ParsedText, { kind: 'data' }>, size: number): LinkStep {
  const [received, arrival, acks] = receive(link.channel, seq, size);
  if (arrival === 'gap') return step(link, [close(link, 'gap')]);
  if (arrival === 'overrun') return step(link, [close(link, 'flow')]);
  const [channel, sent] = acknowledge(received, ack);
  const next = { ...link, channel };
  const effects = texts(link, [...acks, ...sent]);
  if (arrival === 'seen') return step(next, effects);
  if (frame.type !== 'unknown') return step(next, effects, [{ type: 'frame', frame }]);
  if (!frame.must) return step(next, effects);
  const refused = sendFrame(next, { type: 'error', code: 'unsupported', message: 'A frame of a newer version cannot be read.' });
  return step(refused.link, [...effects, ...refused.effects]);
}

/** Whether the other side may be a brain without the protocol. To paired hands, a relay could pose as one and send unsigned calls. */
const isPlain = ({ identity, phase }: Link): boolean =>
  identity.role === 'hands' && identity.identity === undefined && (phase === 'silent' || phase === 'base');

const NOTES = {
  nothing: 'Connected. The other side has not sent anything yet.',
  ignored: 'Connected. A message was ignored, because it is no call: {"type":"tool_call","tool":NAME,"id":ID,"arguments":{…}}.',
} as const;

/** Tells users what is unusual about a connection without the protocol, once each. */
function note(link: Link, noted: keyof typeof NOTES): LinkStep {
  if (link.noted === 'ignored' || link.noted === noted) return step(link);
  return step({ ...link, noted }, [{ type: 'status', status: 'base', text: NOTES[noted] }]);
}

/** Takes a text of a brain that only knows calls and results. It may send others, for other programs: they are ignored. */
function readPlain(link: Link, parsed: ParsedText, length: number): LinkStep {
  if (parsed.kind === 'control') return step(link);
  if (parsed.kind === 'data' && parsed.frame.type !== 'unknown') return step(link, [close(link, 'malformed')]);
  if (parsed.kind !== 'base' && parsed.kind !== 'bad_call') return note(link, 'ignored');
  const status: LinkEffect[] =
    link.phase === 'silent' ? [{ type: 'status', status: 'base', text: 'Connected to an agent that sends plain calls.' }] : [];
  const base: Link = { ...link, phase: 'base' };
  if (parsed.kind === 'base') return step(base, status, [{ type: 'base_call', call: parsed.call, length }]);
  return step(base, [...status, { type: 'send', conn: link.conn, text: baseResult(parsed.id, 'error', `Error: ${parsed.reason}`) }]);
}

function read(link: Link, text: string): LinkStep {
  const plain = isPlain(link);
  if (text.length > (plain ? MAX_BASE_CALL : MAX_FRAME)) return step(link, [close(link, 'too_large')]);
  const parsed = parseText(text);
  // After a call without the protocol, the other side only knows calls.
  if (plain && (parsed.kind !== 'control' || link.phase === 'base')) return readPlain(link, parsed, text.length);
  // Before the greeting of a relay, other texts are not for Synapse.
  if (parsed.kind === 'malformed' && link.phase === 'silent') return step(link);
  if (isDamaged(link, text, parsed)) return step(link, [close(link, 'malformed')]);
  if (parsed.kind === 'control') return control(link, parsed.frame);
  return parsed.kind === 'data' && link.phase === 'up' ? data(link, parsed, text.length - SUM_LENGTH) : step(link, [close(link, 'malformed')]);
}

/** Whether a text was changed on the way, or belongs to another connection. It says nothing then: the line is resumed, and it is sent again. */
function isDamaged({ nonce }: Link, text: string, parsed: ParsedText): boolean {
  if (parsed.kind === 'control' && (parsed.frame.type === 'ping' || parsed.frame.type === 'pong')) return false;
  const sum = checkSum(nonce, text);
  // A relay of the first version sends no sums. Its challenge says so.
  const isOlder = parsed.kind === 'control' && parsed.frame.type === 'challenge' && !parsed.frame.v.includes(PROTOCOL_VERSION);
  return sum === 'damaged' || (sum === 'none' && !isOlder);
}

/**
 * Whether a refusal need not be the last word: of a relay whose records were restored from a backup, or that was set back to an earlier version.
 * A machine that its owner removes learns that on its open connection. Where another machine took over, this one must not come back.
 */
const mayChange = ({ identity, phase, refusals = MAX_REFUSALS }: Link, code: number): boolean => {
  if (phase === 'up') return false;
  // Paired a moment ago: the machine tells the relay so in its time.
  if (identity.role === 'brain') return code === CLOSE_CODES.out_of_scope.code && refusals < MAX_EARLY;
  return refusals < MAX_REFUSALS && code !== CLOSE_CODES.replaced.code;
};

function closed(link: Link, { code, now, jitter }: Extract<LinkEvent, { type: 'closed' }>): LinkStep {
  const meaning = closeMeaning(code);
  const isRefused = meaning.next === 'fatal';
  const refusals = isRefused && link.refusals !== undefined ? link.refusals + 1 : link.refusals;
  const down = { ...link, channel: suspend(link.channel), conn: link.conn + 1, refusals };
  const reason = `${meaning.text}${isRefused ? clockText(link.skew) : ''}`;
  if (isRefused && !mayChange(link, code)) {
    return step({ ...down, phase: 'stopped' }, [{ type: 'status', status: 'stopped', text: reason, error: meaning.error }]);
  }
  const stable = (link.phase === 'up' || link.phase === 'base') && now - link.since >= STABLE_MS;
  const attempt = stable ? 0 : link.attempt;
  const brokenAt = attempt === 0 ? now : Math.min(link.brokenAt, now);
  const afterMs = backoffMs(attempt, now - brokenAt, jitter);
  // Browsers do not say why a connection failed.
  const text =
    link.phase === 'down' && code === NO_REASON ? NOT_OPENED : `${reason}${isRefused && link.identity.role === 'hands' ? MAY_BE_RESTORED : ''}`;
  return step({ ...down, phase: 'down', attempt: attempt + 1, brokenAt }, [
    { type: 'status', status: 'offline', text, retryMs: afterMs },
    { type: 'connect', conn: down.conn, afterMs },
  ]);
}

function tick({ heard, ...rest }: Link, now: number): LinkStep {
  // A clock that was set back must not hide that the other side is gone.
  const link: Link = { ...rest, heard: Math.min(heard, now) };
  if (link.phase === 'down' || link.phase === 'stopped' || link.phase === 'base') return step(link);
  const quiet = now - link.heard;
  // Hands may be connected to a brain that sends nothing before its first call.
  if (isPlain(link)) return quiet >= GREETING_MS ? note(link, 'nothing') : step(link);
  if (quiet >= (link.phase === 'up' ? DEAD_AFTER_MS : GREETING_MS)) return step(link, [close(link, 'silent')]);
  const [channel, acks] = tellIfBehind(link.channel);
  return step({ ...link, channel }, texts(link, quiet >= ASK_AFTER_MS && link.phase === 'up' ? [...acks, 'ping'] : acks));
}

/** Computes the link's next state and effects for an event. Pure. */
export function linkStep(link: Link, event: LinkEvent): LinkStep {
  if (event.type === 'tick') return tick(link, event.now);
  // A late event of an earlier connection.
  if (event.conn !== link.conn || link.phase === 'stopped') return step(link);
  switch (event.type) {
    case 'opened':
      return step({ ...link, phase: 'silent', nonce: '', since: event.now, heard: event.now, ponged: Number.NEGATIVE_INFINITY, noted: undefined });
    case 'text':
      return read({ ...link, heard: event.now }, event.text);
    case 'proved':
      return proved(link, event.proof);
    case 'closed':
    default:
      return closed(link, event);
  }
}
