import type { AttemptWork, PlannedAttempt } from './attempt.ts';
import { readEvent } from './attempt-events.ts';
import { runProcess } from './branch-process.ts';

/** Follows the attempts while they work. */
export interface AttemptWatcher {
  /** @param line what an attempt printed, as JSON */
  event(planned: PlannedAttempt, line: NonNullable<ReturnType<typeof readEvent>>): void;
  notice(planned: PlannedAttempt, line: string): void;
}

/** Milliseconds are enough for durations of processes. */
const since = (start: number): number => Math.round(performance.now() - start);

/** Works on the task in a branch: this command line again, in a process of its own. */
export async function workAttempt(
  planned: PlannedAttempt,
  { id, root, signal, watcher }: { readonly id: string; readonly root: string; readonly signal: AbortSignal; readonly watcher: AttemptWatcher },
): Promise<AttemptWork> {
  const start = performance.now();
  let work: AttemptWork = { session: undefined, status: 'failed', reason: undefined, text: '', calls: 0, tokens: 0, costUsd: 0, durationMs: 0 };
  let isDone = false;
  let lastError = '';
  const { code, by } = await runProcess({
    root,
    branch: planned.branch,
    attempt: `${id}:${planned.index}`,
    signal,
    onLine(line) {
      const read = readEvent(line);
      if (read === undefined) return;
      const { event } = read;
      if (event?.type === 'session') work = { ...work, session: event.sessionId };
      if (event?.type === 'call-start') work = { ...work, calls: work.calls + 1 };
      if (event?.type === 'usage') {
        const { inputTokens, outputTokens, costUsd = 0 } = event.total;
        work = { ...work, tokens: inputTokens + outputTokens, costUsd };
      }
      if (event?.type === 'done') {
        isDone = true;
        const { status, text, reason } = event.result;
        work = { ...work, status, text, reason };
      }
      watcher.event(planned, read);
    },
    onError(line) {
      if (line.trim() !== '') lastError = line.slice(0, 500);
      watcher.notice(planned, line);
    },
  });
  const durationMs = since(start);
  if (isDone) return { ...work, durationMs };
  if (signal.aborted) return { ...work, status: 'cancelled', reason: 'Stopped.', durationMs };
  if (by !== null || (code ?? 0) > 128)
    return { ...work, status: 'killed', reason: `Its process was ended${by === null ? '' : ` by ${by}`}.`, durationMs };
  return { ...work, reason: lastError === '' ? `Its process ended with exit code ${code}.` : lastError, durationMs };
}
