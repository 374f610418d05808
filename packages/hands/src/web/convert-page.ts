import { Worker } from 'node:worker_threads';
import { threadOptions } from '../events/thread-options.ts';
import type { MarkdownPage } from './html-to-markdown.ts';

/** Maximum milliseconds for a conversion. A large page of documentation takes one second; a slower page is better read as plain text. */
const CONVERT_MS = 8_000;
/** Limits of the thread in megabytes. Five megabytes of ordinary HTML need about half of this. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };

/** Returns the worker file: TypeScript in development, JavaScript in a build. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? 'markdown-worker.ts' : 'markdown-worker.js', import.meta.url);
}

/**
 * Converts HTML to Markdown in a thread with limited time and memory. Returns undefined if a page exceeds the limits.
 */
export async function convertPage(html: string, url: string, signal: AbortSignal): Promise<MarkdownPage | undefined> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<MarkdownPage | undefined>();
  const worker = new Worker(workerFile(), { workerData: { html, url }, resourceLimits: LIMITS, ...threadOptions() });
  const giveUp = (): void => resolve(undefined);
  const timer = setTimeout(giveUp, CONVERT_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  worker.once('message', (page: MarkdownPage) => resolve(page));
  // Out of memory, a tree that is too deep, or a bug in a library. The plain text is still available.
  worker.once('error', giveUp);
  worker.once('exit', giveUp);
  try {
    const page = await promise;
    signal.throwIfAborted();
    return page;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    await worker.terminate();
  }
}
