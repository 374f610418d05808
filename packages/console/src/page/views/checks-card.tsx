import type { ConsoleCheck } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { Badge } from '../parts/badge.tsx';
import { duration, visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';

const CHECKS: ReadonlyArray<readonly [ConsoleCheck['check'], string]> = [
  ['read', 'Real read'],
  ['protocol', 'Whole protocol'],
  ['errors', 'Error handling'],
];

function CheckRow({ check, title }: { readonly check: ConsoleCheck['check']; readonly title: string }) {
  const action = useAction();
  const [done, setDone] = useState<ConsoleCheck>();
  return (
    <li class="check">
      <div class="check-head">
        <button
          type="button"
          class="button"
          disabled={action.busy}
          onClick={() => void action.run(async () => setDone(await line.request('checks.run', { check })))}
        >
          {title}
        </button>
        {action.busy && <Badge tone="busy">running</Badge>}
        {done !== undefined && !action.busy && (
          <span role="status">
            <Badge tone={done.ok ? 'good' : 'bad'}>{done.ok ? 'pass' : 'fail'}</Badge> <span class="muted">{duration(done.ms)}</span>
          </span>
        )}
      </div>
      <Failure error={action.error} />
      {done !== undefined && (
        <ul class="plain-list check-steps">
          {done.steps.map(({ name, ok, ms, detail }) => (
            <li key={name}>
              <span class={ok ? 'dot tone-good' : 'dot tone-bad'} aria-hidden="true" />
              <span class="visually-hidden">{ok ? 'pass' : 'fail'}</span> {visible(name)}{' '}
              <span class="muted">{`${visible(detail)} · ${duration(ms)}`}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The three checks of the debug page, with real calls and their durations. */
export function ChecksCard() {
  return (
    <section class="card" aria-label="Checks">
      <h2>Checks</h2>
      <ul class="plain-list checks">
        {CHECKS.map(([check, title]) => (
          <CheckRow key={check} check={check} title={title} />
        ))}
      </ul>
    </section>
  );
}
