import { readdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJobId } from './job-id.ts';

/** What a person can ask of a job that another process runs. */
export const JOB_REQUESTS = ['stop', 'detach'] as const;
export type JobRequest = (typeof JOB_REQUESTS)[number];

/** Asks the process that runs a job. */
export function sendRequest(folder: string, id: string, request: JobRequest): void {
  const path = join(folder, `${id}.${request}`);
  writeFileSync(`${path}.tmp`, '', { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

/** Takes back a request that nobody answered. */
export function withdrawRequest(folder: string, id: string, request: JobRequest): void {
  rmSync(join(folder, `${id}.${request}`), { force: true });
}

function parse(name: string): { id: string; request: JobRequest } | undefined {
  const [id = '', word, ...more] = name.split('.');
  const request = JOB_REQUESTS.find((one) => one === word);
  return more.length === 0 && request !== undefined && isJobId(id) ? { id, request } : undefined;
}

/**
 * Hears requests for the jobs of this process until it is disposed.
 *
 * @param answer whether the job is one of this process; a request for another is left to its own
 */
export function hearRequests(folder: string, answer: (id: string, request: JobRequest) => boolean): Disposable {
  const look = (): void => {
    for (const name of namesIn(folder)) {
      const found = parse(name);
      if (found !== undefined && answer(found.id, found.request)) rmSync(join(folder, name), { force: true });
    }
  };
  const stack = new DisposableStack();
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null || parse(name) !== undefined) look();
    });
    watcher.on('error', () => {});
    stack.defer(() => watcher.close());
  } catch {
    // The machine has no more watches: then jobs only cannot be reached from outside.
  }
  return stack;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It was removed: nobody asks for anything there.
    return [];
  }
}
