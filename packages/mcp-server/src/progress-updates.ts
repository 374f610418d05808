import type { Progress } from '@synapse/protocol';

/** Milliseconds between two updates: ten a second are a live view, and more only keep the client busy. */
const INTERVAL_MS = 100;
/** Characters of a message: it is one line of a status display. */
const MESSAGE_CHARACTERS = 200;

/** How far a call is, as MCP's `notifications/progress` tells it. */
export interface ProgressUpdate {
  /** Rises with every update, as the protocol demands, also where the tool does not count. */
  progress: number;
  total?: number;
  message?: string;
}

/** Progress of one call, thinned out. Disposing it drops what was not sent: the answer follows. */
export interface ProgressUpdates extends Disposable {
  readonly report: (progress: Progress) => void;
}

function lastLine(output: string): string | undefined {
  return output.trimEnd().split('\n').at(-1)?.trim();
}

/** Sends the first update at once, then at most one per interval, always the latest. */
export function progressUpdates(send: (update: ProgressUpdate) => void): ProgressUpdates {
  let waiting: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  const flush = (): void => {
    timer = undefined;
    if (waiting === undefined) return;
    const { progress, total, message, output } = waiting;
    waiting = undefined;
    last = progress !== undefined && progress > last ? progress : last + 1;
    const text = message ?? (output === undefined ? undefined : lastLine(output));
    send({
      progress: last,
      // A total is only true of the tool's own count.
      ...(total === undefined || last !== progress ? {} : { total }),
      ...(text === undefined || text === '' ? {} : { message: text.slice(0, MESSAGE_CHARACTERS) }),
    });
    timer = setTimeout(flush, INTERVAL_MS);
  };
  return {
    report: (progress) => {
      waiting = progress;
      if (timer === undefined) flush();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      waiting = undefined;
    },
  };
}
