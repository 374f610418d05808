// Runs one program in a thread of its own: one that never ends, or takes all memory, ends only the thread. The thread gets and gives texts.
import { parentPort, workerData } from 'node:worker_threads';
import { startProgram } from './interpreter.ts';
import type { FromProgram, ProgramStart, ToProgram } from './messages.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker port has no origin
const tell = (message: FromProgram): void => parentPort?.postMessage(message);

const early: ToProgram[] = [];
let answer = (message: ToProgram): void => void early.push(message);
parentPort?.on('message', (message: ToProgram) => answer(message));

const program = await startProgram(Object(workerData) as ProgramStart, {
  call: (id, asked, name, json) => tell({ type: 'call', id, asked, name, json }),
  print: (text) => tell({ type: 'print', text }),
  end: (ending) => tell({ type: 'end', ending }),
});
answer = ({ id, json }) => program.answer(id, json);
for (const message of early) answer(message);
