import { toSynapseError } from '@synapse/protocol';
import type { Answer, Asked, FromProgram, ProgramEnding, ToProgram } from './messages.ts';
import { programThreads } from './program-threads.ts';

/** Maximum number of calls that run at once. */
const MAX_AT_ONCE = 16;
/** Characters of answers that a program has not taken, from which no further call begins: a program that only computes takes none. */
const MAX_UNTAKEN = 8_000_000;

/** What a program can do. */
export interface ProgramPowers {
  /** Answers a call. Never rejects for what a tool says. */
  readonly call: (asked: Asked, name: string, input: unknown, signal: AbortSignal) => Promise<Answer>;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How a program ended, and how many calls it made. */
export type RanProgram = ProgramEnding & { readonly calls: number };

/**
 * Runs a program, whose only powers are its calls and what it prints. Settles once it and all of its calls have ended.
 *
 * @throws the reason of the signal
 */
export async function runProgram(code: string, { call, print, signal }: ProgramPowers): Promise<RanProgram> {
  signal.throwIfAborted();
  const { worker, interpreter } = programThreads.take();
  const stopping = new AbortController();
  const callsEnd = AbortSignal.any([signal, stopping.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnding>();
  const running = new Set<Promise<void>>();
  const queue: Array<() => void> = [];
  let calls = 0;
  let atOnce = 0;
  let untaken = 0;
  const tell = (message: ToProgram): void => worker.postMessage(message, []);
  const fail = (message: string): void => resolve({ ok: false, error: { name: 'Error', message } });

  const beginNext = (): void => {
    if (untaken >= MAX_UNTAKEN) return;
    for (const begin of queue.splice(0, MAX_AT_ONCE - atOnce)) {
      atOnce += 1;
      begin();
    }
  };
  const run = async (asked: Asked, name: string, json: string): Promise<string> => {
    try {
      // Here, as data that is no JSON, such as nested too deep, would else be no answer.
      return JSON.stringify(await call(asked, name, JSON.parse(json), callsEnd));
    } catch (error) {
      const { code: name, message, hint } = toSynapseError(error);
      return JSON.stringify({ error: { code: name, message, hint } } satisfies Answer);
    }
  };
  const answer = async ({ id, asked, name, json }: Extract<FromProgram, { type: 'call' }>): Promise<void> => {
    // Calls still arrive while its thread ends. None of them may wait for its turn.
    if (callsEnd.aborted) return;
    const begun = Promise.withResolvers<void>();
    queue.push(begun.resolve);
    beginNext();
    await begun.promise;
    if (callsEnd.aborted) return;
    try {
      const answered = await run(asked, name, json);
      tell({ type: 'answer', id, json: answered });
      untaken += answered.length;
    } catch {
      // The program has ended, and with it all that waits.
    } finally {
      atOnce -= 1;
      beginNext();
    }
  };
  worker.on('message', (message: FromProgram) => {
    if (message.type === 'print') return print(message.text);
    if (message.type === 'end') return resolve(message.ending);
    if (message.type === 'taken') {
      untaken -= message.characters;
      return beginNext();
    }
    calls += 1;
    const answering = answer(message).finally(() => running.delete(answering));
    running.add(answering);
  });
  worker.once('error', (error) =>
    fail(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? OUT_OF_MEMORY : String(error)),
  );
  worker.once('exit', () => fail('Its interpreter ended.'));
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  interpreter.catch(reject);
  tell({ type: 'run', code });
  try {
    return { ...(await promise), calls };
  } finally {
    if (!signal.aborted || programThreads.isHeld) programThreads.prepareSoon();
    signal.removeEventListener('abort', onAbort);
    stopping.abort();
    for (const next of queue.splice(0)) next();
    await worker.terminate();
    await Promise.allSettled(running);
  }
}

const OUT_OF_MEMORY = 'It needs more memory than a program gets.';
