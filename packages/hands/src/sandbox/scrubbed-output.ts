import type { OutputStream, ProcessRequest } from '../process/processes.ts';
import { Scrubber, unseen } from '../secrets/scrubber.ts';
import type { Secret } from '../secrets/secret.ts';
import { unseenValues } from '../secrets/unseen-values.ts';

/** Milliseconds without output after which the beginning of a secret is taken for the end of a line. */
export const QUIET_MS = 20;

/** Passes on the output of a command without its secrets. */
export interface ScrubbedOutput {
  readonly take: ProcessRequest['onOutput'];
  /** Passes on what was held back. */
  readonly end: () => void;
}

/** Takes secrets out of the output of a command, on its way to a receiver. */
export function scrubbedOutput(take: ProcessRequest['onOutput'], secrets: ReadonlyArray<Pick<Secret, 'value' | 'places'>>): ScrubbedOutput {
  const what = unseen(secrets.flatMap(unseenValues));
  const streams: Record<OutputStream, Scrubber> = { stdout: new Scrubber(what), stderr: new Scrubber(what) };
  const quiet: Partial<Record<OutputStream, NodeJS.Timeout>> = {};
  const pass = (stream: OutputStream, chunk: Buffer): void => {
    if (chunk.length > 0) take(stream, chunk);
  };
  return {
    take: (stream, chunk) => {
      clearTimeout(quiet[stream]);
      pass(stream, streams[stream].push(chunk));
      // What waits for a line, or answers a prompt, would wait forever for its last letters.
      if (streams[stream].isHolding) quiet[stream] = setTimeout(() => pass(stream, streams[stream].show()), QUIET_MS).unref();
    },
    end: () => {
      for (const stream of ['stdout', 'stderr'] as const) {
        clearTimeout(quiet[stream]);
        pass(stream, streams[stream].end());
      }
    },
  };
}
