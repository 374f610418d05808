import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { brotliDecompress } from 'node:zlib';
import { SynapseError } from '@synapse/protocol';
import { threadOptions } from '../events/thread-options.ts';
import type { ThreadStart } from './messages.ts';

/** Bytes that a program may take. */
const MEMORY_BYTES = 128 * 1024 * 1024;
/** Limits of its thread in megabytes, beside the memory of the program itself: texts on their way. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** Milliseconds until a thread that waits for a program ends. */
const SPARE_MS = 60_000;

const isSource = import.meta.url.endsWith('.ts');

/** Compiles the interpreter. */
async function compileInterpreter(): Promise<WebAssembly.Module> {
  const file = isSource ? import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm') : new URL('quickjs.wasm.br', import.meta.url).href;
  try {
    const bytes = await readFile(fileURLToPath(file));
    // Compressed in a bundle: an install is 0.3 MB smaller, and reading it takes 3 ms more.
    return await WebAssembly.compile(isSource ? bytes : await promisify(brotliDecompress)(bytes));
  } catch (error) {
    throw new SynapseError('unavailable', 'The interpreter of programs is missing beside the code of @synapse/hands.', {
      hint: 'A bundler left it out: keep @synapse/hands out of the bundle, as an external package.',
      cause: error,
    });
  }
}

function startThread(module: WebAssembly.Module): Worker {
  const file = new URL(isSource ? 'program-thread.ts' : 'program-thread.js', import.meta.url);
  const workerData: ThreadStart = { module, memoryBytes: MEMORY_BYTES };
  return new Worker(file, { workerData, resourceLimits: LIMITS, ...threadOptions() });
}

/** The threads of programs. Each runs one program. After it, the next is prepared, which takes longer than most programs. */
class ProgramThreads {
  #module: WebAssembly.Module | undefined;
  #spare: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @throws SynapseError `unavailable` if the interpreter is missing */
  async take(): Promise<Worker> {
    this.#module ??= await compileInterpreter();
    const taken = this.#spare ?? startThread(this.#module);
    this.#drop();
    taken.ref();
    return taken;
  }

  /** Prepares the next one. It keeps no process from ending. */
  prepare(): void {
    if (this.#module === undefined || this.#spare !== undefined) return;
    const spare = startThread(this.#module);
    spare.unref();
    this.#spare = spare;
    this.#timer = setTimeout(() => {
      this.#drop();
      void spare.terminate();
    }, SPARE_MS).unref();
    const onEnd = (): void => {
      if (this.#spare === spare) this.#drop();
    };
    // A thread that cannot start, such as without memory, fails again when one is needed, and then that is an answer.
    spare.once('error', onEnd);
    spare.once('exit', onEnd);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#spare = undefined;
  }
}

/** The threads of this process. */
export const programThreads = new ProgramThreads();
