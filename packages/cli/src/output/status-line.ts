import type { Progress } from '@synapse/protocol';
import type { Output } from './output.ts';

/** Milliseconds between updates. */
const INTERVAL_MS = 100;

/** A status line on a terminal; prints nothing elsewhere. */
export interface StatusLine extends Disposable {
  readonly show: (progress: Progress) => void;
}

function text({ message, output, progress, total }: Progress): string {
  const counted = progress === undefined ? '' : total === undefined ? `${progress} ` : `${progress}/${total} `;
  return `${counted}${message ?? output?.trimEnd().split('\n').at(-1)?.trim() ?? ''}`;
}

/** Opens a status line. Disposing it erases the line, so that results stay clean. */
export function statusLine(err: Output): StatusLine {
  let painted = -INTERVAL_MS;
  return {
    show: (progress) => {
      if (performance.now() - painted < INTERVAL_MS) return;
      painted = performance.now();
      err.show(text(progress));
    },
    [Symbol.dispose]() {
      err.show('');
    },
  };
}
