import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { brotliDecompress } from 'node:zlib';
import { SynapseError } from '@synapse/protocol';
import { threadOptions } from '../events/thread-options.ts';
import type { StructureAnswer, StructureRequest, StructureStart } from './messages.ts';

/** Limits of the thread in megabytes: the matcher keeps an object for each node that it looks at. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

const isSource = import.meta.url.endsWith('.ts');
let module: Promise<WebAssembly.Module> | undefined;

/** Compiles the matcher. */
async function compileMatcher(): Promise<WebAssembly.Module> {
  const file = isSource ? import.meta.resolve('@ast-grep/wasm/wasm_bg.wasm') : new URL('ast-grep.wasm.br', import.meta.url).href;
  try {
    const bytes = await readFile(fileURLToPath(file));
    return await WebAssembly.compile(isSource ? bytes : await promisify(brotliDecompress)(bytes));
  } catch (error) {
    throw new SynapseError('unavailable', 'The matcher of structural searches is missing beside the code of @synapse/hands.', {
      hint: 'Use search_text. To have it: a bundler left it out; keep @synapse/hands out of the bundle, as an external package.',
      cause: error,
    });
  }
}

/** Searches texts one after the other, in a thread that ends with it. */
export class StructureSearch implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #ended: Promise<never>;

  static async open(): Promise<StructureSearch> {
    module ??= compileMatcher().catch((error: unknown) => {
      module = undefined;
      throw error;
    });
    return new StructureSearch(await module);
  }

  private constructor(compiled: WebAssembly.Module) {
    const file = new URL(isSource ? 'structure-thread.ts' : 'structure-thread.js', import.meta.url);
    const workerData: StructureStart = { module: compiled };
    this.#worker = new Worker(file, { workerData, resourceLimits: LIMITS, ...threadOptions() });
    const { promise, reject } = Promise.withResolvers<never>();
    const onEnd = (): void => reject(new SynapseError('too_large', 'The search ended early: a file takes too much memory, or defeats the matcher.'));
    this.#worker.once('error', onEnd).once('exit', onEnd);
    promise.catch(() => {});
    this.#ended = promise;
  }

  /**
   * Searches one text.
   *
   * @throws the reason of the signal, after which the thread has to be closed; an error if the thread ended
   */
  async find(request: StructureRequest, signal: AbortSignal): Promise<StructureAnswer> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<StructureAnswer>();
    const onAbort = (): void => reject(signal.reason);
    const worker = this.#worker;
    worker.once('message', resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      worker.postMessage(request, []);
      return await Promise.race([promise, this.#ended]);
    } finally {
      worker.off('message', resolve);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
