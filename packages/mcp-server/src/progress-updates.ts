import type { Progress } from '@synapse/protocol';

/** Milliseconds between updates: ten per second look live, and more only load the client. */
const INTERVAL_MS = 100;
/** Maximum number of characters of a message: one line of a status display. */
const MESSAGE_CHARACTERS = 200;

/** The progress of a call, as in MCP's `notifications/progress`. */
export interface ProgressUpdate {
  /** Increases with every update, as the protocol requires, even if the tool does not count. */
  progress: number;
  total?: number;
  message?: string;
}

/** Throttled progress of one call. Disposing it drops unsent updates, as the result follows. */
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
      // A total only fits the count of the tool.
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
