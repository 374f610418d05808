import type { ConsoleRunStep } from '@synapse/protocol/console';
import { count, duration, visible } from '../parts/format.ts';

const WORDS: Readonly<Record<ConsoleRunStep['status'], string>> = { waiting: 'waiting', running: 'running', done: 'done' };

/** The steps of a protocol, with the duration and calls of each. */
export function StepList({ steps }: { readonly steps: readonly ConsoleRunStep[] }) {
  if (steps.length === 0) return null;
  return (
    <ol class="steps" aria-label="Steps">
      {steps.map(({ id, title, index, status, ms, calls }) => (
        <li key={id} class={`step step-${status}`}>
          <span class="step-mark" aria-hidden="true">
            {index}
          </span>
          <span class="step-title">{visible(title)}</span>
          <span class="visually-hidden">{WORDS[status]}</span>
          <span class="muted">
            {[calls === undefined ? undefined : count(calls, 'call'), ms === undefined ? undefined : duration(ms)]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </span>
        </li>
      ))}
    </ol>
  );
}
