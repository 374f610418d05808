import { Worker } from 'node:worker_threads';
import type { MarkdownPage } from './html-to-markdown.ts';

/** A large page of documentation takes a second; what takes longer is better read as plain text. */
const CONVERT_MS = 8_000;
/** Five megabytes of ordinary HTML need about half of it. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };

/** The sources run as TypeScript in development, and as what they were built to otherwise. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? 'markdown-worker.ts' : 'markdown-worker.js', import.meta.url);
}

/**
 * HTML as Markdown, made in a thread that is bounded in time and memory. Undefined where a page is too much for that.
 */
export async function convertPage(html: string, url: string, signal: AbortSignal): Promise<MarkdownPage | undefined> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<MarkdownPage | undefined>();
  const worker = new Worker(workerFile(), { workerData: { html, url }, resourceLimits: LIMITS, env: {}, stdout: true, stderr: true });
  const giveUp = (): void => resolve(undefined);
  const timer = setTimeout(giveUp, CONVERT_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  worker.once('message', (page: MarkdownPage) => resolve(page));
  // Out of memory, a tree too deep, or a defect of a library: the plain text is still to be had.
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
