import type { OutputStream, ProcessRequest } from '../process/processes.ts';
import { Scrubber, unseen } from '../secrets/scrubber.ts';
import type { Secret } from '../secrets/secret.ts';

/** Passes on the output of a command without its secrets. */
export interface ScrubbedOutput {
  readonly take: ProcessRequest['onOutput'];
  /** Passes on what was held back. */
  readonly end: () => void;
}

/** Takes secrets out of the output of a command, on its way to a receiver. */
export function scrubbedOutput(take: ProcessRequest['onOutput'], secrets: readonly Secret[]): ScrubbedOutput {
  const what = unseen(secrets.map(({ value }) => value));
  const streams: Record<OutputStream, Scrubber> = { stdout: new Scrubber(what), stderr: new Scrubber(what) };
  const pass = (stream: OutputStream, chunk: Buffer): void => {
    if (chunk.length > 0) take(stream, chunk);
  };
  return {
    take: (stream, chunk) => pass(stream, streams[stream].push(chunk)),
    end: () => {
      for (const stream of ['stdout', 'stderr'] as const) pass(stream, streams[stream].end());
    },
  };
}
