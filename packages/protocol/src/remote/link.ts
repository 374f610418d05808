import { backoffMs, STABLE_MS } from './backoff.ts';
import { acknowledge, begin, creditOf, NEW_CHANNEL, receive, resume, send, sendLossy, suspend, tellIfBehind, type Channel } from './channel.ts';
import { CLOSE_CODES, closeMeaning, type CloseReason } from './close-codes.ts';
import {
  controlText,
  MAX_FRAME,
  parseText,
  PROTOCOL_VERSION,
  type BaseCall,
  type ControlFrames,
  type DataFrame,
  type ParsedText,
  type Peer,
} from './frames.ts';

/** With nothing heard for so long, one asks; with no answer either, the line is dead. */
const ASK_AFTER_MS = 25_000;
const DEAD_AFTER_MS = 60_000;
/** A relay that opens a connection and does not greet. A brain without the protocol never does, so there is no limit there. */
const GREETING_MS = 10_000;

/** Who a party is. */
export interface Identity {
  readonly role: 'hands' | 'brain';
  /** New at each start of the process. */
  readonly inst: string;
  /** Of hands: the ledger that they keep. */
  readonly ledger?: string;
}

/** A party's line to the relay, over one connection after the other. */
export interface Link {
  readonly identity: Identity;
  /**
   * `silent`: connected, and nothing was said. `greeting`: hello is sent. `up`: welcomed. `base`: the other side knows only
   * calls and results. `stopped`: it must not connect again.
   */
  readonly phase: 'down' | 'silent' | 'greeting' | 'up' | 'base' | 'stopped';
  /** Which connection counts; what others say is ignored. */
  readonly conn: number;
  readonly epoch: number;
  /** The instance of the relay that the channel is with. */
  readonly relay: string | undefined;
  /** The instance that hello was said to. The channel is with it once it has welcomed us, not before: a welcome may be lost. */
  readonly greeted: string | undefined;
  readonly channel: Channel;
  readonly attempt: number;
  readonly since: number;
  readonly heard: number;
}

/** What happens to a connection. `now` in milliseconds; `jitter` from 0 to 1. */
export type LinkEvent =
  | { readonly type: 'opened'; readonly conn: number; readonly now: number }
  | { readonly type: 'text'; readonly conn: number; readonly text: string; readonly now: number }
  | { readonly type: 'closed'; readonly conn: number; readonly code: number; readonly now: number; readonly jitter: number }
  | { readonly type: 'tick'; readonly now: number };

export type LinkEffect =
  | { readonly type: 'connect'; readonly conn: number; readonly afterMs: number }
  | { readonly type: 'send'; readonly conn: number; readonly text: string }
  | { readonly type: 'close'; readonly conn: number; readonly code: number; readonly reason: string }
  /** For a person: what the line does now. */
  | { readonly type: 'status'; readonly status: 'online' | 'base' | 'offline' | 'stopped'; readonly text: string; readonly retryMs?: number };

/** What the role above has to act on. */
export type Incoming =
  | { readonly type: 'frame'; readonly frame: DataFrame }
  | { readonly type: 'base_call'; readonly call: BaseCall }
  /** Welcomed. `resumed`: nothing was lost; else whatever is under way has to be said again. */
  | { readonly type: 'welcomed'; readonly resumed: boolean; readonly peer: Peer | undefined };

/** What a step of the link came to. */
export interface LinkStep {
  readonly link: Link;
  readonly effects: readonly LinkEffect[];
  readonly incoming: readonly Incoming[];
}

export const newLink = (identity: Identity): Link => ({
  identity,
  phase: 'down',
  conn: 0,
  epoch: 0,
  relay: undefined,
  greeted: undefined,
  channel: NEW_CHANNEL,
  attempt: 0,
  since: 0,
  heard: 0,
});

const step = (link: Link, effects: readonly LinkEffect[] = [], incoming: readonly Incoming[] = []): LinkStep => ({ link, effects, incoming });
const texts = ({ conn }: Link, sent: readonly string[]): LinkEffect[] => sent.map((text) => ({ type: 'send', conn, text }));

/** Starts to connect. */
export const startLink = (link: Link): LinkStep => step({ ...link, conn: link.conn + 1 }, [{ type: 'connect', conn: link.conn + 1, afterMs: 0 }]);

/** Sends a frame; without a connection it waits for one. */
export function sendFrame(link: Link, frame: DataFrame, kind: 'sure' | 'lossy' = 'sure'): LinkStep {
  const [channel, sent] = (kind === 'sure' ? send : sendLossy)(link.channel, frame);
  const effects = texts(link, sent);
  // A line that takes nothing for so long is given up; the next one begins anew.
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
  const goesOn = challenge.relay === link.relay && !channel.lost;
  const hello = controlText({
    type: 'hello',
    v: PROTOCOL_VERSION,
    ...identity,
    epoch,
    ...(goesOn ? { recv: { relay: challenge.relay, seq: channel.received.frames } } : {}),
    credit: creditOf(goesOn ? channel : NEW_CHANNEL),
  });
  return step({ ...link, phase: 'greeting', greeted: challenge.relay }, texts(link, [hello]));
}

function welcome(link: Link, { epoch, resumed, recv, credit, peer }: ControlFrames['welcome']): LinkStep {
  const [channel, again] = resumed ? resume(link.channel, recv, credit) : [begin(credit), []];
  const effects: LinkEffect[] = [...texts(link, again), { type: 'status', status: 'online', text: 'Connected.' }];
  return step({ ...link, phase: 'up', epoch, relay: link.greeted, channel }, effects, [{ type: 'welcomed', resumed, peer }]);
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
    case 'ping':
      return step(link, texts(link, ['pong']));
    case 'pong':
      return step(link);
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

function read(link: Link, text: string): LinkStep {
  if (text.length > MAX_FRAME) return step(link, [close(link, 'too_large')]);
  const parsed = parseText(text);
  switch (parsed.kind) {
    case 'control':
      // After a call without the protocol the other side knows only those.
      return link.phase === 'base' ? step(link) : control(link, parsed.frame);
    case 'data':
      return link.phase === 'up' ? data(link, parsed, text.length) : step(link, [close(link, 'malformed')]);
    case 'base': {
      if (link.identity.role !== 'hands' || (link.phase !== 'silent' && link.phase !== 'base')) return step(link, [close(link, 'malformed')]);
      const status: LinkEffect[] =
        link.phase === 'silent' ? [{ type: 'status', status: 'base', text: 'Connected to a brain that sends plain calls.' }] : [];
      return step({ ...link, phase: 'base' }, status, [{ type: 'base_call', call: parsed.call }]);
    }
    case 'malformed':
    default:
      // One that knows only calls may say other things to other programs; they are not for us.
      return link.phase === 'silent' || link.phase === 'base' ? step(link) : step(link, [close(link, 'malformed')]);
  }
}

function closed(link: Link, { code, now, jitter }: Extract<LinkEvent, { type: 'closed' }>): LinkStep {
  const meaning = closeMeaning(code);
  const down = { ...link, channel: suspend(link.channel), conn: link.conn + 1 };
  if (meaning.next === 'fatal') return step({ ...down, phase: 'stopped' }, [{ type: 'status', status: 'stopped', text: meaning.text }]);
  const stable = (link.phase === 'up' || link.phase === 'base') && now - link.since >= STABLE_MS;
  const attempt = stable ? 0 : link.attempt;
  const afterMs = backoffMs(attempt, jitter);
  return step({ ...down, phase: 'down', attempt: attempt + 1 }, [
    { type: 'status', status: 'offline', text: meaning.text, retryMs: afterMs },
    { type: 'connect', conn: down.conn, afterMs },
  ]);
}

function tick(link: Link, now: number): LinkStep {
  if (link.phase === 'down' || link.phase === 'stopped' || link.phase === 'base' || link.phase === 'silent') return step(link);
  const quiet = now - link.heard;
  if (quiet >= (link.phase === 'greeting' ? GREETING_MS : DEAD_AFTER_MS)) return step(link, [close(link, 'silent')]);
  const [channel, acks] = tellIfBehind(link.channel);
  return step({ ...link, channel }, texts(link, quiet >= ASK_AFTER_MS && link.phase === 'up' ? [...acks, 'ping'] : acks));
}

/** What an event of the connection comes to. Pure. */
export function linkStep(link: Link, event: LinkEvent): LinkStep {
  if (event.type === 'tick') return tick(link, event.now);
  // A late word of a connection that no longer counts.
  if (event.conn !== link.conn || link.phase === 'stopped') return step(link);
  switch (event.type) {
    case 'opened':
      return step({ ...link, phase: 'silent', since: event.now, heard: event.now });
    case 'text':
      return read({ ...link, heard: event.now }, event.text);
    case 'closed':
    default:
      return closed(link, event);
  }
}
