import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isJobId } from './job-log.ts';

/** Requests that people can send to a job of another process. */
const JOB_REQUESTS = ['stop', 'detach'] as const;
export type JobRequest = (typeof JOB_REQUESTS)[number];

const TypedInput = z.strictObject({ type: z.literal('input'), text: z.string(), eof: z.boolean() });
const JobMessage = z.union([z.strictObject({ type: z.enum(JOB_REQUESTS) }), TypedInput]);
/** A message to a job. */
export type JobMessage = z.infer<typeof JobMessage>;
/** Text for the input of a job. */
export type TypedInput = Omit<z.infer<typeof TypedInput>, 'type'>;

const NAME = /^(?<id>[^.]+)\.\d{13}-[0-9a-f]{8}\.message$/u;
const REFUSED = '.refused';

/** Sends a message to the process that runs a job. Returns the message file. Names sort by time. */
export function sendMessage(folder: string, id: string, message: JobMessage): string {
  const path = join(folder, `${id}.${String(Date.now()).padStart(13, '0')}-${randomBytes(4).toString('hex')}.message`);
  writeFileSync(`${path}.tmp`, JSON.stringify(message), { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
  return path;
}

/** The state of a message: it waits, was taken, or was refused for a reason. */
export function messageState(path: string): 'waits' | 'taken' | { readonly refused: string } {
  // The refusal is written before the message is removed.
  if (existsSync(path)) return 'waits';
  try {
    const refused = readFileSync(path + REFUSED, 'utf8');
    rmSync(path + REFUSED, { force: true });
    return { refused };
  } catch {
    return 'taken';
  }
}

/** Removes a message that was not taken. */
export function withdrawMessage(path: string): void {
  rmSync(path, { force: true });
}

function read(path: string): JobMessage | undefined {
  try {
    return JobMessage.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // From another version, or withdrawn a moment ago.
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    // The state folder was deleted, so no message waits.
    return [];
  }
}

/**
 * Receives messages for the jobs of this process until disposed.
 *
 * @param receive acts on a message and resolves to the reason if it is refused; undefined for a job of another process
 */
export function receiveMessages(folder: string, receive: (id: string, message: JobMessage) => Promise<string | undefined> | undefined): Disposable {
  const taken = new Set<string>();
  const look = (): void => {
    for (const name of namesIn(folder)) {
      const id = NAME.exec(name)?.groups?.['id'] ?? '';
      if (!isJobId(id) || taken.has(name)) continue;
      const path = join(folder, name);
      const message = read(path);
      const received = message === undefined ? undefined : receive(id, message);
      if (received === undefined) continue;
      taken.add(name);
      void received
        .then((refused) => {
          if (refused !== undefined) writeFileSync(path + REFUSED, refused, { mode: 0o600 });
          rmSync(path, { force: true });
          taken.delete(name);
        })
        // For example, the disk is full. The message stays taken, so that no text is typed twice, and the sender times out.
        .catch(() => {});
    }
  };
  const stack = new DisposableStack();
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null || NAME.test(name)) look();
    });
    watcher.on('error', () => {});
    stack.defer(() => watcher.close());
  } catch {
    // No file watches are left on this machine: other processes cannot reach these jobs.
  }
  // What was sent while no process watched: a keeper begins only when the owner of the job has ended.
  look();
  return stack;
}
