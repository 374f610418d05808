import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { ProgramThreads, programThreads, type ThreadSource } from './program-threads.ts';
import { runProgram, type ProgramPowers } from './run-program.ts';

/** A module of WebAssembly without anything in it. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const WAITS = "const { parentPort } = require('node:worker_threads'); parentPort.on('message', ({ type }) => parentPort.postMessage(type));";

interface Threads extends ThreadSource {
  readonly started: Worker[];
}

/** Threads that answer with the type of what they get, and a compiler that works after some failures. */
function source({ failures = 0 } = {}): Threads {
  const started: Worker[] = [];
  let left = failures;
  return {
    started,
    start() {
      const worker = new Worker(WAITS, { eval: true });
      started.push(worker);
      return worker;
    },
    compile: async () => {
      left -= 1;
      if (left >= 0) throw new Error('missing');
      return await WebAssembly.compile(EMPTY);
    },
  };
}

const first = (threads: Threads): Worker => threads.started[0] ?? expect.unreachable('No thread was started.');

async function ended(worker: Worker): Promise<void> {
  await once(worker, 'exit');
  expect(worker.threadId).toBe(-1);
}

it('has one ready while it is held, which gets its interpreter, and ends it then', async () => {
  const made = source();
  const threads = new ProgramThreads(made);
  const [one, other] = [threads.hold(), threads.hold()];
  expect(await once(first(made), 'message')).toEqual(['interpreter']);
  expect(made.started).toHaveLength(1);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  expect(threads.isHeld).toBe(true);
  const { worker } = threads.take();
  expect(worker).toBe(first(made));
  await worker.terminate();
  threads.prepareSoon();
  await expect.poll(() => made.started).toHaveLength(2);
  other[Symbol.dispose]();
  expect(threads.isHeld).toBe(false);
  await ended(made.started[1] ?? expect.unreachable());
});

it('prepares one for a program that is about to run, and no second one beside it', async () => {
  const made = source();
  const threads = new ProgramThreads(made);
  threads.prepare();
  threads.prepare();
  const { worker } = threads.take();
  expect([made.started.length, worker === first(made), threads.isHeld]).toEqual([1, true, false]);
  await worker.terminate();
});

it('ends one that is not ready yet, and gives none that has died', async () => {
  const made = source();
  const threads = new ProgramThreads(made);
  threads.hold()[Symbol.dispose]();
  await ended(first(made));
  using _ = threads.hold();
  const dead = made.started[1] ?? expect.unreachable();
  await dead.terminate();
  const { worker } = threads.take();
  expect([made.started.length, worker === dead]).toEqual([3, false]);
  expect(await once(worker, 'message')).toEqual(['interpreter']);
  await worker.terminate();
});

it('looks for a missing interpreter again', async () => {
  const made = source({ failures: 1 });
  const threads = new ProgramThreads(made);
  await expect(threads.take().interpreter).rejects.toThrow('missing');
  await ended(first(made));
  const { worker, interpreter } = threads.take();
  await expect(interpreter).resolves.toBeInstanceOf(WebAssembly.Module);
  await worker.terminate();
});

it('only says that no thread can be started when one is needed', () => {
  const threads = new ProgramThreads({
    ...source(),
    start: () => {
      throw new Error('no memory');
    },
  });
  expect(() => threads.hold()).not.toThrow();
  expect(() => threads.take()).toThrow('no memory');
});

it('keeps no process from ending', async () => {
  const file = JSON.stringify(new URL('program-threads.ts', import.meta.url).href);
  const code = `const { programThreads } = await import(${file}); programThreads.hold(); console.log('held');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=synapse-source', '--input-type=module', '-e', code], {
    timeout: 60_000,
  });
  expect(stdout).toBe('held\n');
});

it('is held by hands that were told to prepare for programs, until they are closed', async () => {
  const { hands, ...place } = await temporaryHands();
  hands.warmUp();
  hands.warmUp({ programs: true });
  hands.warmUp({ programs: true });
  await expect.poll(() => programThreads.isHeld).toBe(true);
  const results = [await hands.call('run_program', { code: 'globalThis.left = 1' }), await hands.call('run_program', { code: 'return typeof left' })];
  expect(results).toMatchObject([{ ok: true }, { ok: true, data: { returned: 'undefined' } }]);
  await place[Symbol.asyncDispose]();
  expect(programThreads.isHeld).toBe(false);
  const { hands: closed, ...other } = await temporaryHands();
  closed.warmUp({ programs: true });
  await other[Symbol.asyncDispose]();
  // It is held in a later turn.
  await setImmediate();
  expect(programThreads.isHeld).toBe(false);
});

it('ends with its time while its thread starts, and the next program runs', async () => {
  const powers = (signal: AbortSignal): ProgramPowers => ({ call: async () => ({ data: 1 }), print: () => {}, signal });
  const late = new AbortController();
  const running = runProgram('while (true) {}', powers(late.signal));
  late.abort(new Error('too late'));
  await expect(running).rejects.toThrow('too late');
  expect(await runProgram('return await hands.x()', powers(AbortSignal.timeout(60_000)))).toEqual({ ok: true, json: '1', calls: 1 });
});
