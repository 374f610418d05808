import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { withPipes } from '../process/output-pipes.ts';

/** The pipes through which another process can take over a job. Disposing closes this process's ends. */
export interface JobPipes extends Disposable {
  /** This process's descriptor of the pipe whose holders own the job. */
  readonly life: number;
  /** The path of that pipe for other processes of this user. */
  readonly lifePath: string;
  readonly input: Writable;
  /** The end for the job. */
  readonly inputReader: number;
  /** Call this when the job has its copy. */
  closeReader(): void;
}

/** Opens the pipes of a job; undefined if none can be created. The job then ends with this process. */
export async function openJobPipes(): Promise<JobPipes | undefined> {
  if (process.platform !== 'linux') return undefined;
  const opened: number[] = [];
  const open = (name: string, flags: number): number => {
    const descriptor = openSync(name, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    // Opening one end of a pipe waits for the other, except with both.
    const [both, life] = await withPipes(2, (name) => open(name, constants.O_RDWR | constants.O_NONBLOCK));
    if (both === undefined || life === undefined) return undefined;
    const inputReader = open(`/proc/self/fd/${both}`, constants.O_RDONLY);
    const writer = open(`/proc/self/fd/${both}`, constants.O_WRONLY | constants.O_NONBLOCK);
    // Never twice: by then, the number can be that of another file.
    opened.splice(opened.indexOf(both), 1);
    closeSync(both);
    const input = new Socket({ fd: writer, readable: false, writable: true });
    // The job closed its input or has ended. Its end is awaited elsewhere.
    input.on('error', () => {});
    let isOpen = true;
    let isClosed = false;
    const closeReader = (): void => {
      if (isOpen) closeSync(inputReader);
      isOpen = false;
    };
    return {
      life,
      lifePath: `/proc/${process.pid}/fd/${life}`,
      input,
      inputReader,
      closeReader,
      [Symbol.dispose]: () => {
        if (isClosed) return;
        isClosed = true;
        closeReader();
        input.destroy();
        closeSync(life);
      },
    };
  } catch {
    for (const descriptor of opened) {
      try {
        closeSync(descriptor);
      } catch {
        // Already closed.
      }
    }
    return undefined;
  }
}
