import type { ConsolePending } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { EffectView } from '../diff/effect-view.tsx';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { clock, count, visible } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';

function Shown({ handle }: { readonly handle: string }) {
  const { value, error } = useRequest('pending.show', { handle });
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} />
      {value !== undefined && <EffectView effect={value} />}
    </>
  );
}

function PendingCard({ pending }: { readonly pending: ConsolePending }) {
  const { handle, command, time, why, files } = pending;
  const [open, setOpen] = useState(false);
  const action = useAction();
  return (
    <article class="card">
      <p>
        <code>{visible(command)}</code>
      </p>
      <p class="muted">{`${handle} · ${count(files, 'file')} · ${clock(Date.parse(time))} · ${visible(why)}`}</p>
      {open && <Shown handle={handle} />}
      <Failure error={action.error} />
      <div class="actions">
        <button type="button" class="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide the changes' : 'Show the changes'}
        </button>
        <ConfirmButton
          text="Apply"
          question="Apply these changes?"
          disabled={action.busy}
          onConfirm={() => void action.run(() => line.request('pending.apply', { handle }))}
        />
        <ConfirmButton
          text="Drop"
          question="Delete these changes for good?"
          disabled={action.busy}
          onConfirm={() => void action.run(() => line.request('pending.drop', { handle }))}
        />
      </div>
    </article>
  );
}

/** Changes by commands that wait for a decision. */
export function PendingTab() {
  const stale = useStore((state) => state.stale.pending);
  const calls = useStore((state) => state.calls.length);
  const { value, error, reload } = useRequest('pending.list', {}, `${stale} ${calls}`);
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.length === 0 && <Empty title="Nothing is pending">What a command changed on its copy waits here where you have to decide.</Empty>}
      {value?.map((pending) => (
        <PendingCard key={pending.handle} pending={pending} />
      ))}
    </>
  );
}
