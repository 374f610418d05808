import { setTimeout as delay } from 'node:timers/promises';
import type { Handlers } from './method.ts';

/** Maximum bytes of output per request. */
const READ_BYTES = 256 * 1024;
/** Milliseconds that a request waits for output, and milliseconds between checks. */
const WAIT_MS = 20_000;
const LOOK_MS = 120;

export const jobs: Handlers<'jobs'> = {
  /** Waits for new output, so that a polling page shows it as it appears. */
  'jobs.output': async ({ id, from }, { project, signal }) => {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const ended = project.jobs.get(id).status === 'ended';
      const read = project.jobs.read(id, from, READ_BYTES);
      if (read.next > from || ended || signal.aborted || performance.now() > deadline) return { ...read, ended };
      await delay(LOOK_MS);
    }
  },
  'jobs.input': async ({ id, text, eof }, { project, signal }) => {
    await project.jobs.input(id, { text, eof }, signal);
    return { message: 'Sent.' };
  },
  'jobs.stop': async ({ id }, { project, signal }) => {
    await project.jobs.request(id, 'stop', signal);
    return { message: 'Stopped.' };
  },
  'jobs.detach': async ({ id }, { project, signal }) => {
    await project.jobs.request(id, 'detach', signal);
    return { message: 'It outlives its session now.' };
  },
};
