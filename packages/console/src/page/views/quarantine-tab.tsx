import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { Badge } from '../parts/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { clock, visible } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';

/** Files removed after commands because another program would have run them. */
export function QuarantineTab() {
  const stale = useStore((state) => state.stale.quarantine);
  const calls = useStore((state) => state.calls.length);
  const { value, error, reload } = useRequest('quarantine.list', {}, `${stale} ${calls}`);
  const action = useAction();
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error ?? action.error} onRetry={reload} />
      {value?.locked !== undefined && (
        <div class="note note-bad">
          <p>Commands are locked: {visible(value.locked)}</p>
          <ConfirmButton
            text="Unlock"
            question="Did you look at what is there?"
            disabled={action.busy}
            onConfirm={() => void action.run(() => line.request('quarantine.unlock', {}))}
          />
        </div>
      )}
      {value?.items.length === 0 && (
        <Empty title="The quarantine is empty">Files that another program would run are taken away after a command, and kept here.</Empty>
      )}
      {value?.items.map(({ id, path, reason, detail, time }) => (
        <article key={id} class="card">
          <p>
            <code>{visible(path)}</code> <Badge tone="warn">{visible(reason)}</Badge>
          </p>
          <p class="muted">{`${visible(detail)} · ${clock(Date.parse(time))}`}</p>
          <div class="actions">
            <ConfirmButton
              text="Restore"
              question="Put it back where it was?"
              disabled={action.busy}
              onConfirm={() => void action.run(() => line.request('quarantine.restore', { id }))}
            />
            <ConfirmButton
              text="Delete"
              question="Delete it for good?"
              disabled={action.busy}
              onConfirm={() => void action.run(() => line.request('quarantine.discard', { id }))}
            />
          </div>
        </article>
      ))}
    </>
  );
}
