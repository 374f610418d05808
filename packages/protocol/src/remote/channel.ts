import { frameText } from './frame-text.ts';
import { controlText, type Credit, type DataFrame } from './frames.ts';

/** Maximum unacknowledged data of one sender. */
const WINDOW: Credit = { frames: 64, bytes: 1_048_576 };
/** Frames and UTF-16 units after which a receiver acknowledges. A quarter of the window, so that the sender never has to stop. */
const ACK_EVERY: Credit = { frames: 16, bytes: 262_144 };
/** Maximum UTF-16 units that wait for credit or a connection. Beyond it the channel is abandoned, and both sides start a new one. */
const MAX_WAITING = 2_097_152;
/** UTF-16 units that may wait before what can wait elsewhere does so. Half of the maximum, so that one more frame always fits. */
export const ROOM = MAX_WAITING / 2;

interface Sent {
  readonly seq: number;
  readonly text: string;
}

/**
 * One end of a bidirectional line between two parties: numbers frames, acknowledges them, and holds back frames without credit.
 * It outlives connections, so that a broken one resumes where it stopped.
 */
export interface Channel {
  readonly online: boolean;
  /** Whether a frame was dropped that had to be sent. The channel cannot resume, only restart. */
  readonly lost: boolean;
  /** Whether the other side can read texts that are appended to their frames. */
  readonly appends: boolean;
  readonly sent: Credit;
  /** The credit that the other side has granted. */
  readonly granted: Credit;
  /** The part of it that counts: one window of what is not acknowledged. */
  readonly limit: Credit;
  readonly unacked: readonly Sent[];
  readonly waiting: readonly string[];
  readonly waitingSize: number;
  readonly received: Credit;
  /** The received count that the other side was last told. */
  readonly told: Credit;
}

const NONE: Credit = { frames: 0, bytes: 0 };

/** A channel without any frames. */
export const NEW_CHANNEL: Channel = {
  online: false,
  lost: false,
  appends: false,
  sent: NONE,
  granted: NONE,
  limit: NONE,
  unacked: [],
  waiting: [],
  waitingSize: 0,
  received: NONE,
  told: NONE,
};

/** A channel and the texts to send now. */
export type Sending = readonly [channel: Channel, texts: readonly string[]];

/** Returns the credit for the other side. Absolute, so that it can be repeated. */
export const creditOf = ({ received }: Channel): Credit => ({ frames: received.frames + WINDOW.frames, bytes: received.bytes + WINDOW.bytes });

/** Sends waiting frames as far as the credit allows. */
function flush(channel: Channel): Sending {
  if (!channel.online || channel.waiting.length === 0) return [channel, []];
  const texts: string[] = [];
  const unacked = [...channel.unacked];
  let { sent, waitingSize } = channel;
  let index = 0;
  for (; index < channel.waiting.length; index += 1) {
    const body = channel.waiting[index] ?? '';
    const seq = sent.frames + 1;
    const text = `{"seq":${seq},"ack":${channel.received.frames},${body.slice(1)}`;
    if (seq > channel.limit.frames || sent.bytes + text.length > channel.limit.bytes) break;
    sent = { frames: seq, bytes: sent.bytes + text.length };
    waitingSize -= body.length;
    unacked.push({ seq, text });
    texts.push(text);
  }
  return [{ ...channel, sent, unacked, waiting: channel.waiting.slice(index), waitingSize }, texts];
}

/** Sends a frame, now or when there is credit and a connection. It arrives exactly once and in order, or the channel is `lost`. */
export function send(channel: Channel, frame: DataFrame, most = MAX_WAITING): Sending {
  if (channel.lost) return [channel, []];
  const body = frameText(frame, channel.appends);
  if (channel.waitingSize + body.length > most) return [{ ...channel, lost: true, waiting: [], waitingSize: 0 }, []];
  return flush({ ...channel, waiting: [...channel.waiting, body], waitingSize: channel.waitingSize + body.length });
}

/** Sends a frame that may be dropped, if more than half of the credit remains for other frames. */
export function sendLossy(channel: Channel, frame: DataFrame): Sending {
  const free = channel.online && channel.waiting.length === 0 && !channel.lost;
  const spare = channel.limit.frames - channel.sent.frames > WINDOW.frames / 2 && channel.limit.bytes - channel.sent.bytes > WINDOW.bytes / 2;
  return free && spare ? send(channel, frame) : [channel, []];
}

/** Processes an acknowledgment and new credit from the other side. */
export function acknowledge(channel: Channel, ack: number, credit?: Credit): Sending {
  const unacked = ack > (channel.unacked[0]?.seq ?? Number.POSITIVE_INFINITY) - 1 ? channel.unacked.filter(({ seq }) => seq > ack) : channel.unacked;
  return flush(grant({ ...channel, unacked }, credit));
}

/**
 * Adds credit. What is not acknowledged is kept here, so credit counts for one window of it: a party that grants without limit and
 * acknowledges nothing would otherwise fill the memory of the sender.
 */
function grant(channel: Channel, credit = channel.granted): Channel {
  const { sent, limit, unacked } = channel;
  const granted = larger(channel.granted, credit);
  const kept = unacked.reduce((sum, { text }) => sum + text.length, 0);
  const frames = Math.min(granted.frames, sent.frames - unacked.length + WINDOW.frames);
  const bytes = Math.min(granted.bytes, sent.bytes - kept + WINDOW.bytes);
  return { ...channel, granted, limit: larger(limit, { frames, bytes }) };
}

const larger = (one: Credit, other: Credit): Credit => ({ frames: Math.max(one.frames, other.frames), bytes: Math.max(one.bytes, other.bytes) });

/** How a numbered frame fits: `next`, already `seen`, after a missing one (`gap`), or beyond the credit (`overrun`). */
export type Arrival = 'next' | 'seen' | 'gap' | 'overrun';

/** How a numbered frame would fit. @param ahead frames that arrived before it and are not received yet */
export function expects({ received, told }: Channel, seq: number, size: number, ahead: Credit = NONE): Arrival {
  const last = received.frames + ahead.frames;
  if (seq <= last) return 'seen';
  if (seq > last + 1) return 'gap';
  // The other side was told at most a quarter of the window less, so a correct sender never exceeds this.
  const isOver = seq > told.frames + WINDOW.frames || received.bytes + ahead.bytes + size > told.bytes + WINDOW.bytes;
  return isOver ? 'overrun' : 'next';
}

/** Receives a numbered frame. Only a `next` frame may be acted on. */
export function receive(channel: Channel, seq: number, size: number): readonly [channel: Channel, arrival: Arrival, texts: readonly string[]] {
  const arrival = expects(channel, seq, size);
  if (arrival !== 'next') return [channel, arrival, []];
  const received = { frames: seq, bytes: channel.received.bytes + size };
  const due = received.frames - channel.told.frames >= ACK_EVERY.frames || received.bytes - channel.told.bytes >= ACK_EVERY.bytes;
  return due ? tellProgress({ ...channel, received }, 'next') : [{ ...channel, received }, 'next', []];
}

function tellProgress(channel: Channel, arrival: Arrival): readonly [Channel, Arrival, readonly string[]] {
  return [{ ...channel, told: channel.received }, arrival, [controlText({ type: 'ack', ack: channel.received.frames, credit: creditOf(channel) })]];
}

/** Acknowledges received frames that the other side does not know of. For idle moments. */
export function tellIfBehind(channel: Channel): Sending {
  if (!channel.online || channel.told.frames === channel.received.frames) return [channel, []];
  const [told, , texts] = tellProgress(channel, 'next');
  return [told, texts];
}

/** Continues on a new connection: frames that the other side lacks are sent again with the same numbers. */
export function resume(channel: Channel, ack: number, credit: Credit): Sending {
  const [acknowledged] = acknowledge({ ...channel, online: false }, ack, credit);
  const again = acknowledged.unacked.map(({ text }) => text);
  const [flushed, texts] = flush({ ...acknowledged, online: true, told: acknowledged.received });
  return [flushed, [...again, ...texts]];
}

/** Starts a new channel on a new connection. @param appends whether the other side can read texts that are appended to their frames */
export const begin = (credit: Credit, appends = false): Channel => grant({ ...NEW_CHANNEL, online: true, appends }, credit);

/** Suspends the channel until the next connection. */
export const suspend = (channel: Channel): Channel => ({ ...channel, online: false });

/** Whether the other side can continue from what it has received. */
export const canResume = (channel: Channel, ack: number): boolean =>
  !channel.lost && ack <= channel.sent.frames && ack >= (channel.unacked[0]?.seq ?? channel.sent.frames + 1) - 1;
