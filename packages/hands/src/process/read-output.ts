import type { Readable } from 'node:stream';
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
  const ended = Promise.withResolvers<void>();
  const isOpen = (): boolean => open > 0;
  const attach = (name: OutputStream, stream: Readable): void => {
    let turn = 0;
    stream.on('data', (chunk: Buffer) => {
      lastAt = performance.now();
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
  return {
    async drain(signal) {
      const deadline = performance.now() + DRAIN_MS;
      lastAt = performance.now();
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      const onAbort = (): void => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      // Node keeps a joined signal, and so all of the call, for as long as anybody listens to it.
      using _listening = { [Symbol.dispose]: () => signal.removeEventListener('abort', onAbort) };
      while (isOpen() && !signal.aborted) {
        const wait = Math.min(lastAt + IDLE_MS, deadline) - performance.now();
        if (wait <= 0) return;
        const { promise: idle, resolve: wake } = Promise.withResolvers<void>();
        const timer = setTimeout(wake, wait);
        await Promise.race([ended.promise, idle, aborted]);
        clearTimeout(timer);
      }
    },
    [Symbol.dispose]() {
      streams.stdout.destroy();
      streams.stderr.destroy();
    },
  };
}
