// Converts one page in a separate thread, so that a page that takes too much memory or time ends only the thread.
// It receives and returns only data and has no other capabilities.
import { parentPort, workerData } from 'node:worker_threads';
import { htmlToMarkdown } from './html-to-markdown.ts';

const { html, url } = Object(workerData) as { html: string; url: string };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker port has no origin
parentPort?.postMessage(htmlToMarkdown(html, url));
