import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { SynapseError } from '@synapse/protocol';
import { threadOptions } from '../events/thread-options.ts';
import type { ThreadStart, ToProgram } from './messages.ts';

/** Bytes that a program may take. */
const MEMORY_BYTES = 128 * 1024 * 1024;
/** Limits of its thread in megabytes, beside the memory of the program itself: texts on their way. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** Milliseconds until a thread that waits for a program ends. */
const SPARE_MS = 60_000;
/** Milliseconds from a program to the start of the next thread: the answer is on its way by then, and a command of one program has ended. */
const PAUSE_MS = 50;

const isSource = import.meta.url.endsWith('.ts');

/** Compiles the interpreter. */
async function compileInterpreter(): Promise<WebAssembly.Module> {
  const file = isSource ? import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm') : new URL('quickjs.wasm.br', import.meta.url).href;
  try {
    const bytes = await readFile(fileURLToPath(file));
    if (isSource) return await WebAssembly.compile(bytes);
    // Compressed in a bundle: an install is 0.3 MB smaller, and reading it takes 3 ms more. Few sessions need the module.
    const { brotliDecompress } = await import('node:zlib');
    return await WebAssembly.compile(await promisify(brotliDecompress)(bytes));
  } catch (error) {
    throw new SynapseError('unavailable', 'The interpreter of programs is missing beside the code of @synapse/hands.', {
      hint: 'A bundler left it out: keep @synapse/hands out of the bundle, as an external package.',
      cause: error,
    });
  }
}

function startThread(): Worker {
  const file = new URL(isSource ? 'program-thread.ts' : 'program-thread.js', import.meta.url);
  const workerData: ThreadStart = { memoryBytes: MEMORY_BYTES };
  return new Worker(file, { workerData, resourceLimits: LIMITS, ...threadOptions() });
}

/** A thread for one program. */
export interface ProgramThread {
  readonly worker: Worker;
  /** Rejects if its interpreter is missing. */
  readonly interpreter: Promise<unknown>;
}

/** What threads are made of. */
export interface ThreadSource {
  readonly start: () => Worker;
  readonly compile: () => Promise<WebAssembly.Module>;
}

/** The threads of programs. Each runs one program, and is prepared before it where that is worth it: a start takes longer than most programs. */
export class ProgramThreads {
  readonly #source: ThreadSource;
  #module: Promise<WebAssembly.Module> | undefined;
  #spare: ProgramThread | undefined;
  #timer: NodeJS.Timeout | undefined;
  #holds = 0;

  constructor(source: ThreadSource = { start: startThread, compile: compileInterpreter }) {
    this.#source = source;
  }

  /** The prepared one, or a new one. The caller listens to its end at once. */
  take(): ProgramThread {
    const taken = this.#spare ?? this.#start();
    this.#drop();
    taken.worker.ref();
    return taken;
  }

  /** Has one prepared, now and after each program, until this is disposed. It takes some 20 MB. */
  hold(): Disposable {
    this.#holds += 1;
    this.prepare();
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#holds -= 1;
        if (this.#holds === 0) this.#end();
      },
    };
  }

  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** Prepares the next one soon, unless this process ends before: it would wait for the start of a thread that it does not need. */
  prepareSoon(): void {
    if (this.#spare !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.prepare(), PAUSE_MS).unref();
  }

  /** Prepares one now, for a program that is about to run. It ends after a while, if there is none. */
  prepare(): void {
    clearTimeout(this.#timer);
    try {
      this.#spare ??= this.#startSpare();
    } catch {
      // Such as without memory for a thread: that fails again when one is needed, and then it is an answer.
      return;
    }
    if (!this.isHeld) this.#timer = setTimeout(() => this.#end(), SPARE_MS).unref();
  }

  /** Starts a thread and what compiles its interpreter: neither waits for the other. */
  #start(): ProgramThread {
    const worker = this.#source.start();
    const interpreter = (this.#module ??= this.#source.compile());
    interpreter.then(
      (module) => worker.postMessage({ type: 'interpreter', module } satisfies ToProgram, []),
      () => {
        // It may be there for the next one.
        if (this.#module === interpreter) this.#module = undefined;
        void worker.terminate();
      },
    );
    return { worker, interpreter };
  }

  /** Starts one that keeps no process from ending. */
  #startSpare(): ProgramThread {
    const spare = this.#start();
    spare.worker.unref();
    const onEnd = (): void => {
      if (this.#spare === spare) this.#drop();
    };
    spare.worker.once('error', onEnd);
    spare.worker.once('exit', onEnd);
    return spare;
  }

  #end(): void {
    const spare = this.#spare;
    this.#drop();
    void spare?.worker.terminate();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#spare = undefined;
  }
}

/** The threads of this process. */
export const programThreads = new ProgramThreads();
