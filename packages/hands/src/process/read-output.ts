import type { Readable } from 'node:stream';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { collectGarbage } from './collect-garbage.ts';
import type { OutputStream } from './processes.ts';

/** So much of one stream is taken before others get their turn: a flood must not hold up timers and other calls. */
const TURN_BYTES = 128 * 1024;
/** After so much output the buffers it came in are freed. */
const COLLECT_BYTES = 8 * 1024 * 1024;
/** After the process has ended, output that comes within this time still belongs to it, in milliseconds. */
const IDLE_MS = 100;
/** Whoever holds the pipe may write for ever; it is listened to this long, in milliseconds. */
const DRAIN_MS = 2_000;
/** Turns of the event loop in which a full pipe is read: the second is for a stream that has just let others have theirs. */
const READING_TURNS = 2;

/** The output of a running process. */
export interface OutputReader extends Disposable {
  /** Waits for the end of both streams, or until nothing has come for a while. */
  drain(signal: AbortSignal): Promise<void>;
}

/**
 * Reads both streams in the order in which the kernel says they have something. Writes to two pipes that
 * come closer than this process wakes up have no order that anybody could tell.
 */
export function readOutput(streams: Readonly<Record<OutputStream, Readable>>, take: (stream: OutputStream, chunk: Buffer) => void): OutputReader {
  let open = 2;
  let uncollected = 0;
  let lastAt = performance.now();
  let chunks = 0;
  const ended = Promise.withResolvers<void>();
  const isOpen = (): boolean => open > 0;
  const attach = (name: OutputStream, stream: Readable): void => {
    let turn = 0;
    stream.on('data', (chunk: Buffer) => {
      lastAt = performance.now();
      chunks += 1;
      turn += chunk.byteLength;
      if (turn >= TURN_BYTES) {
        turn = 0;
        stream.pause();
        setImmediate(() => stream.resume());
      }
      take(name, chunk);
      uncollected += chunk.byteLength;
      if (uncollected >= COLLECT_BYTES) {
        uncollected = 0;
        collectGarbage();
      }
    });
    // A broken pipe is an end like any other: the process itself says how it went.
    stream.on('error', () => {});
    stream.once('close', () => {
      open -= 1;
      if (open === 0) ended.resolve();
    });
  };
  attach('stdout', streams.stdout);
  attach('stderr', streams.stderr);
  const quiet = async (signal: AbortSignal, aborted: Promise<void>, deadline: number): Promise<void> => {
    while (isOpen() && !signal.aborted) {
      const wait = Math.min(lastAt + IDLE_MS, deadline) - performance.now();
      if (wait <= 0) return;
      const { promise: idle, resolve: wake } = Promise.withResolvers<void>();
      const timer = setTimeout(wake, wait);
      await Promise.race([ended.promise, idle, aborted]);
      clearTimeout(timer);
    }
  };
  return {
    async drain(signal) {
      const deadline = performance.now() + DRAIN_MS;
      lastAt = performance.now();
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      const onAbort = (): void => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      // Node keeps a joined signal, and so all of the call, for as long as anybody listens to it.
      using _listening = { [Symbol.dispose]: () => signal.removeEventListener('abort', onAbort) };
      let seen: number;
      do {
        await quiet(signal, aborted, deadline);
        seen = chunks;
        // Time that goes by while this process is held up is no silence: timers are called before anybody has read.
        for (let turn = 0; turn < READING_TURNS && isOpen(); turn += 1) await turnOfLoop();
      } while (seen !== chunks && isOpen() && !signal.aborted && performance.now() < deadline);
    },
    [Symbol.dispose]() {
      streams.stdout.destroy();
      streams.stderr.destroy();
    },
  };
}
