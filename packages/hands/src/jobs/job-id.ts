import { randomBytes } from 'node:crypto';

const ID = /^job-[0-9a-f]{8}$/u;

/** A name for a job. Random: ids of two processes must not meet in one state folder. */
export function newJobId(): string {
  return `job-${randomBytes(4).toString('hex')}`;
}

/** Whether a text is the id of a job. Ids become names of files: nothing else may. */
export function isJobId(text: string): boolean {
  return ID.test(text);
}
