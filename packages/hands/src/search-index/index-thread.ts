// Reads the files of a workspace for the index of searches, in a thread with limited memory. It opens them by the handle that it is given,
// and returns only filters and times.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { FileReader } from './file-reader.ts';
import type { IndexOrder, IndexReply, IndexStart } from './index-messages.ts';

const { root } = Object(workerData) as IndexStart;
/** Below everything that someone waits for. On Linux, it applies to this thread only. */
const PRIORITY = 10;
if (process.platform === 'linux') setPriority(0, PRIORITY);

const reader = new FileReader(root);

function reply(order: IndexOrder): IndexReply | undefined {
  if (order.kind === 'read') return { kind: 'read', files: reader.read(order) };
  if (order.kind === 'sweep') return { kind: 'swept', changed: reader.changed() };
  reader.forget();
  return undefined;
}

parentPort?.on('message', (order: IndexOrder) => {
  const answer = reply(order);
  if (answer !== undefined) parentPort?.postMessage(answer, []);
});
