import { controlText, type Credit, type DataFrame } from './frames.ts';

/** What one side may send before the other says that it has taken some of it. */
const WINDOW: Credit = { frames: 64, bytes: 1_048_576 };
/** Frames and UTF-16 units after which a receiver says how far it is. A quarter of the window: the sender never has to stop. */
const ACK_EVERY: Credit = { frames: 16, bytes: 262_144 };
/** What may wait for credit or for a connection. Past that the channel is given up, and both sides start a new one. */
const MAX_WAITING = 2_097_152;

interface Sent {
  readonly seq: number;
  readonly text: string;
}

/**
 * One direction each way of a line between two parties: numbers, acknowledges, and holds back what there is no credit for.
 * It outlives connections, so that a broken one is resumed where it stopped.
 */
export interface Channel {
  readonly online: boolean;
  /** Something was dropped that should have been sent: the line cannot be resumed, only begun anew. */
  readonly lost: boolean;
  readonly sent: Credit;
  readonly limit: Credit;
  readonly unacked: readonly Sent[];
  readonly waiting: readonly string[];
  readonly waitingSize: number;
  readonly received: Credit;
  /** How far the other side was told that we are. */
  readonly told: Credit;
}

const NONE: Credit = { frames: 0, bytes: 0 };

/** A channel on which nothing was said yet. */
export const NEW_CHANNEL: Channel = {
  online: false,
  lost: false,
  sent: NONE,
  limit: NONE,
  unacked: [],
  waiting: [],
  waitingSize: 0,
  received: NONE,
  told: NONE,
};

/** A channel and the texts that go out now. */
export type Sending = readonly [channel: Channel, texts: readonly string[]];

/** What we let the other side send: absolute, so that it can be repeated. */
export const creditOf = ({ received }: Channel): Credit => ({ frames: received.frames + WINDOW.frames, bytes: received.bytes + WINDOW.bytes });

/** Sends what there is credit for. */
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

/** Sends a frame, now or when there is credit and a connection. It arrives once and in order, or the channel is `lost`. */
export function send(channel: Channel, frame: DataFrame): Sending {
  if (channel.lost) return [channel, []];
  const body = JSON.stringify(frame);
  if (channel.waitingSize + body.length > MAX_WAITING) return [{ ...channel, lost: true, waiting: [], waitingSize: 0 }, []];
  return flush({ ...channel, waiting: [...channel.waiting, body], waitingSize: channel.waitingSize + body.length });
}

/** Sends a frame that may be dropped, where more than half of the credit is left for those that may not. */
export function sendLossy(channel: Channel, frame: DataFrame): Sending {
  const free = channel.online && channel.waiting.length === 0 && !channel.lost;
  const spare = channel.limit.frames - channel.sent.frames > WINDOW.frames / 2 && channel.limit.bytes - channel.sent.bytes > WINDOW.bytes / 2;
  return free && spare ? send(channel, frame) : [channel, []];
}

/** Takes note of what the other side has, and of what it lets us send. */
export function acknowledge(channel: Channel, ack: number, credit?: Credit): Sending {
  const unacked = ack > (channel.unacked[0]?.seq ?? Number.POSITIVE_INFINITY) - 1 ? channel.unacked.filter(({ seq }) => seq > ack) : channel.unacked;
  const limit =
    credit === undefined
      ? channel.limit
      : { frames: Math.max(channel.limit.frames, credit.frames), bytes: Math.max(channel.limit.bytes, credit.bytes) };
  return flush({ ...channel, unacked, limit });
}

/** How a numbered frame fits: `next`, one that was here already, one after a missing one, or one beyond the credit. */
export type Arrival = 'next' | 'seen' | 'gap' | 'overrun';

/** Takes a numbered frame in. Only what is `next` may be acted on. */
export function receive(channel: Channel, seq: number, size: number): readonly [channel: Channel, arrival: Arrival, texts: readonly string[]] {
  if (seq <= channel.received.frames) return [channel, 'seen', []];
  if (seq > channel.received.frames + 1) return [channel, 'gap', []];
  // What was told is at most a quarter of the window behind: who keeps to it never gets here.
  const allowed = { frames: channel.told.frames + WINDOW.frames, bytes: channel.told.bytes + WINDOW.bytes };
  const received = { frames: seq, bytes: channel.received.bytes + size };
  if (received.frames > allowed.frames || received.bytes > allowed.bytes) return [channel, 'overrun', []];
  const due = received.frames - channel.told.frames >= ACK_EVERY.frames || received.bytes - channel.told.bytes >= ACK_EVERY.bytes;
  return due ? tellProgress({ ...channel, received }, 'next') : [{ ...channel, received }, 'next', []];
}

function tellProgress(channel: Channel, arrival: Arrival): readonly [Channel, Arrival, readonly string[]] {
  return [{ ...channel, told: channel.received }, arrival, [controlText({ type: 'ack', ack: channel.received.frames, credit: creditOf(channel) })]];
}

/** Says how far we are, where the other side does not know. For a quiet moment. */
export function tellIfBehind(channel: Channel): Sending {
  if (!channel.online || channel.told.frames === channel.received.frames) return [channel, []];
  const [told, , texts] = tellProgress(channel, 'next');
  return [told, texts];
}

/** Goes on over a new connection: what the other side has not got is sent again, under the same numbers. */
export function resume(channel: Channel, ack: number, credit: Credit): Sending {
  const [acknowledged] = acknowledge({ ...channel, online: false }, ack, credit);
  const again = acknowledged.unacked.map(({ text }) => text);
  const [flushed, texts] = flush({ ...acknowledged, online: true, told: acknowledged.received });
  return [flushed, [...again, ...texts]];
}

/** Begins anew over a new connection. */
export const begin = (credit: Credit): Channel => ({ ...NEW_CHANNEL, online: true, limit: credit });

/** The connection is gone; the channel waits for the next one. */
export const suspend = (channel: Channel): Channel => ({ ...channel, online: false });

/** Whether the other side can go on from what it has. */
export const canResume = (channel: Channel, ack: number): boolean =>
  !channel.lost && ack <= channel.sent.frames && ack >= (channel.unacked[0]?.seq ?? channel.sent.frames + 1) - 1;
