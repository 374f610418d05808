import type { ConsoleCheck } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { Badge } from '../parts/badge.tsx';
import { duration, visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';

const CHECKS: ReadonlyArray<readonly [check: ConsoleCheck['check'], title: string, about: string]> = [
  ['read', 'Real read', 'Reads one file of this project.'],
  ['protocol', 'Whole protocol', 'Runs Project Resurrection, with all of its calls.'],
  ['errors', 'Error handling', 'Makes three calls that have to fail, and looks how they do.'],
];

function CheckRow({ check, title, about }: { readonly check: ConsoleCheck['check']; readonly title: string; readonly about: string }) {
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
        <span class="muted">{about}</span>
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
      <h2>Does it work here?</h2>
      <p class="muted">Each check makes real calls through all stages, and changes nothing.</p>
      <ul class="plain-list checks">
        {CHECKS.map(([check, title, about]) => (
          <CheckRow key={check} check={check} title={title} about={about} />
        ))}
      </ul>
    </section>
  );
}
