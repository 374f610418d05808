import { chain, put, say, type Then } from './brain-moves.ts';
import type { BrainState, BrainStep, OpenCall, Reading } from './brain-state.ts';
import { complete, confirm } from './finish-call.ts';
import type { DataFrames } from './frames.ts';
import { ownResult } from './own-results.ts';
import { sha256 } from './sha256.ts';

/** Number of chunks to request at once. */
const READ_AHEAD = 6;
/** Maximum bytes of chunks to request at once, as JSON. Twice as much, sealed, fits in what a relay holds back for a party. */
const MOST_AT_ONCE = 400_000;
/** Maximum number of results to read at once. More would exceed the relay's buffer for a party and break the connection. */
const MAX_READING = 2;
/** Number of times a call is sent, and its result read, that did not arrive as it was sent. */
export const MAX_DAMAGED = 3;
/** Milliseconds without an answer after which a request is repeated. */
const ASK_AGAIN_MS = 5_000;
/** Maximum of that wait. It doubles with each repetition, so that repetitions do not fill a slow connection. */
const MAX_ASK_AGAIN_MS = 60_000;

/** Result of a call whose body is on a machine that was replaced. */
const UNREADABLE = ownResult(
  'interrupted',
  'Error: The call ended, but its result is on a machine that was replaced. Look at what it did before you repeat it.',
);

/** Result of a call whose body never fits its hash. */
const DAMAGED = ownResult(
  'interrupted',
  'Error: The call ended, but its result arrived damaged, again and again. Look at what it did before you repeat it.',
);

/** Requests the next chunks of a result. */
export const readOn =
  (id: string, open: OpenCall, now: number): Then =>
  (state) => {
    const { reading } = open;
    if (reading === undefined) return [state, []];
    if (state.peer?.online === true && state.peer.ledger !== open.ledger) return complete(id, UNREADABLE)(state);
    return chain(
      state,
      put(id, { ...open, reading: { ...reading, expected: READ_AHEAD, asked: reading.asked + 1 }, askedAt: now }),
      say({ type: 'read', brain: state.link.identity.inst, of: 'result', name: id, from: reading.offset, chunks: READ_AHEAD, most: MOST_AT_ONCE }),
    );
  };

/** Finishes a call whose result arrived whole; otherwise its result has to be read. */
export function onResult(state: BrainState, { tool_call_id: id, body, ...facts }: DataFrames['tool_result']): BrainStep {
  const open = state.calls.get(id);
  if (open === undefined) return state.isDone(id) ? confirm(id)(state) : [state, []];
  const { status, bytes, sha256: hash } = facts;
  if (body !== undefined && sha256(body) === hash) return complete(id, { status, bytes, sha256: hash, body })(state);
  if (open.reading !== undefined) return [state, []];
  return put(id, { ...open, reading: { facts: { status, bytes, sha256: hash }, body: '', offset: 0, expected: 0, asked: 0 } })(state);
}

/** Counts an answer that does not fit, and ends the call after too many. Nothing else limits them: its machine may be hostile. */
function damage(id: string, open: OpenCall, reading: Reading, again: (damaged: OpenCall) => Then): Then {
  const damaged = (reading.damaged ?? 0) + 1;
  return damaged >= MAX_DAMAGED ? complete(id, DAMAGED) : again({ ...open, reading: { ...reading, damaged } });
}

/** Adds a chunk to a result that is read, and finishes the call with the last one. */
export function onChunk(state: BrainState, frame: DataFrames['chunk'], now: number): BrainStep {
  if (frame.of !== 'result') return [state, [{ type: 'hear', frame }]];
  const open = state.calls.get(frame.name);
  // A duplicate, or an answer to an earlier request.
  if (open?.reading === undefined || frame.from !== open.reading.offset) return [state, []];
  const { facts, offset, expected } = open.reading;
  const isLast = frame.next >= facts.bytes;
  // The request stays open, and is repeated in its time.
  if (!isLast && (frame.next <= offset || frame.data === ''))
    return damage(frame.name, open, open.reading, (damaged) => put(frame.name, damaged))(state);
  const body = open.reading.body + frame.data;
  if (isLast && sha256(body) === facts.sha256) return complete(frame.name, { ...facts, body })(state);
  if (isLast || body.length > facts.bytes) {
    const anew: Reading = { ...open.reading, body: '', offset: 0, expected: 0, asked: 0 };
    return damage(frame.name, open, anew, (damaged) => readOn(frame.name, damaged, now))(state);
  }
  const isOver = frame.last === true || expected <= 1;
  const further: OpenCall = {
    ...open,
    askedAt: now,
    reading: { ...open.reading, body, offset: frame.next, expected: expected - 1, asked: isOver ? 0 : 1 },
  };
  return isOver ? readOn(frame.name, further, now)(state) : put(frame.name, further)(state);
}

/** Returns the milliseconds to wait for an answer. */
export const patience = (reading: Reading | undefined): number =>
  Math.min(MAX_ASK_AGAIN_MS, ASK_AGAIN_MS * 2 ** Math.max(0, (reading?.asked ?? 1) - 1));

/** Starts reading the next results, in the order in which they were announced. */
export function readNext(state: BrainState, now: number): BrainStep {
  if (state.link.phase !== 'up') return [state, []];
  const open = [...state.calls].filter(([, { reading }]) => reading !== undefined);
  const waiting = open.filter(([, { reading }]) => reading?.asked === 0);
  if (waiting.length === 0) return [state, []];
  const next = waiting.slice(0, Math.max(0, MAX_READING - (open.length - waiting.length)));
  return chain(state, ...next.map(([id, call]) => readOn(id, call, now)));
}
