// A thread of its own for one page: should the page take all its memory or time, the thread ends and nothing else does.
// It gets a text, gives a text, and is given no other power.
import { parentPort, workerData } from 'node:worker_threads';
import { htmlToMarkdown } from './html-to-markdown.ts';

const { html, url } = Object(workerData) as { html: string; url: string };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of threads, not a window: it has no origin
parentPort?.postMessage(htmlToMarkdown(html, url));
