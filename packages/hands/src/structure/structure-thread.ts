// Searches texts in a thread of its own: a text that is made to be slow, or to take all memory, ends only the thread. It gets and gives texts.
import { parentPort, workerData } from 'node:worker_threads';
import type { StructureRequest, StructureStart } from './messages.ts';
import { findStructure, startMatcher } from './matcher.ts';

const starting = startMatcher((Object(workerData) as StructureStart).module);
parentPort?.on('message', (request: StructureRequest) => {
  // A failure ends the thread, and with it the search.
  void starting.then(() => findStructure(request)).then((answer) => parentPort?.postMessage(answer, []));
});
