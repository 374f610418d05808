import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { toSynapseError } from '@synapse/protocol';
import type { Answer, Asked, FromProgram, ProgramEnding, ProgramStart } from './messages.ts';

/** Bytes that a program may take. */
const MEMORY_BYTES = 128 * 1024 * 1024;
/** Limits of its thread in megabytes, beside the memory of the program itself: texts on their way. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** Maximum number of calls that run at once. */
const MAX_AT_ONCE = 16;

/** What a program can do. */
export interface ProgramPowers {
  /** Answers a call. Never rejects for what a tool says. */
  readonly call: (asked: Asked, name: string, input: unknown, signal: AbortSignal) => Promise<Answer>;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How a program ended, and how many calls it made. */
export type RanProgram = ProgramEnding & { readonly calls: number };

let compiled: Promise<WebAssembly.Module> | undefined;

/** The interpreter, which is compiled once in a process. */
async function interpreterModule(): Promise<WebAssembly.Module> {
  const isSource = import.meta.url.endsWith('.ts');
  const file = isSource ? import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm') : new URL('quickjs.wasm', import.meta.url).href;
  return await WebAssembly.compile(await readFile(fileURLToPath(file)));
}

function threadFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? 'program-thread.ts' : 'program-thread.js', import.meta.url);
}

/**
 * Runs a program, whose only powers are its calls and what it prints. Settles once it and all of its calls have ended.
 *
 * @throws the reason of the signal
 */
export async function runProgram(code: string, { call, print, signal }: ProgramPowers): Promise<RanProgram> {
  signal.throwIfAborted();
  const module = await (compiled ??= interpreterModule());
  const stopping = new AbortController();
  const callsEnd = AbortSignal.any([signal, stopping.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnding>();
  const workerData: ProgramStart = { code, module, memoryBytes: MEMORY_BYTES };
  const worker = new Worker(threadFile(), { workerData, resourceLimits: THREAD_LIMITS, env: {}, stdout: true, stderr: true });
  const running = new Set<Promise<void>>();
  const queue: Array<() => void> = [];
  let calls = 0;
  const fail = (message: string): void => resolve({ ok: false, error: { name: 'Error', message } });

  const run = async (asked: Asked, name: string, json: string): Promise<Answer> => {
    if (running.size >= MAX_AT_ONCE) await new Promise<void>((next) => queue.push(next));
    callsEnd.throwIfAborted();
    try {
      return await call(asked, name, JSON.parse(json), callsEnd);
    } catch (error) {
      const { code: name, message, hint } = toSynapseError(error);
      return { error: { code: name, message, hint } };
    }
  };
  const answer = async ({ id, asked, name, json }: Extract<FromProgram, { type: 'call' }>): Promise<void> => {
    try {
      const result = await run(asked, name, json);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      worker.postMessage({ id, json: JSON.stringify(result) });
    } catch {
      // The program has ended, and with it all that waits.
    }
  };
  worker.on('message', (message: FromProgram) => {
    if (message.type === 'print') return print(message.text);
    if (message.type === 'end') return resolve(message.ending);
    calls += 1;
    const answering = answer(message).finally(() => {
      running.delete(answering);
      queue.shift()?.();
    });
    running.add(answering);
  });
  worker.once('error', (error) =>
    fail(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? OUT_OF_MEMORY : String(error)),
  );
  worker.once('exit', () => fail('Its interpreter ended.'));
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return { ...(await promise), calls };
  } finally {
    signal.removeEventListener('abort', onAbort);
    stopping.abort();
    for (const next of queue) next();
    await worker.terminate();
    await Promise.allSettled(running);
  }
}

const OUT_OF_MEMORY = 'It needs more memory than a program gets.';
