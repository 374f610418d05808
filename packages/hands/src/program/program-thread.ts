// Runs one program in a thread of its own: one that never ends, or takes all memory, ends only the thread. The thread gets and gives texts.
import { parentPort, workerData } from 'node:worker_threads';
import { openProgram } from './interpreter.ts';
import type { FromProgram, ThreadStart, ToProgram } from './messages.ts';

const tell = (message: FromProgram): void => parentPort?.postMessage(message, []);

const interpreter = Promise.withResolvers<WebAssembly.Module>();
const early: ToProgram[] = [];
let take = (message: ToProgram): void => void early.push(message);
parentPort?.on('message', (message: ToProgram) => {
  if (message.type === 'interpreter') interpreter.resolve(message.module);
  else take(message);
});

const program = await openProgram(Object(workerData) as ThreadStart, interpreter.promise, {
  call: (id, asked, name, json) => tell({ type: 'call', id, asked, name, json }),
  print: (text) => tell({ type: 'print', text }),
  end: (ending) => tell({ type: 'end', ending }),
});
take = (message) => {
  if (message.type === 'run') program.run(message.code);
  else if (message.type === 'answer') {
    tell({ type: 'taken', characters: message.json.length });
    program.answer(message.id, message.json);
  }
};
for (const message of early) take(message);
