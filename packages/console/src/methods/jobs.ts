import { setTimeout as delay } from 'node:timers/promises';
import type { Handlers } from './method.ts';

/** Maximum bytes of output per request. */
const READ_BYTES = 256 * 1024;
/** Milliseconds that a request waits for output, and milliseconds between checks. */
const WAIT_MS = 20_000;
const LOOK_MS = 120;

export const jobs: Handlers<'jobs'> = {
  /** Waits for new output, so that a polling page shows it as it appears. */
  'jobs.output': async ({ id, from }, { room, signal }) => {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const ended = room.jobs.get(id).status === 'ended';
      const read = room.jobs.read(id, from, READ_BYTES);
      if (read.next > from || ended || signal.aborted || performance.now() > deadline) return { ...read, ended };
      await delay(LOOK_MS);
    }
  },
  'jobs.input': async ({ id, text, eof }, { room, signal }) => {
    await room.jobs.input(id, { text, eof }, signal);
    return { message: 'Sent.' };
  },
  'jobs.stop': async ({ id }, { room, signal }) => {
    await room.jobs.request(id, 'stop', signal);
    return { message: 'Stopped.' };
  },
  'jobs.detach': async ({ id }, { room, signal }) => {
    await room.jobs.request(id, 'detach', signal);
    return { message: 'It outlives its session now.' };
  },
};
