import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { count, visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';

/** Descriptions of undo steps. */
const DOES: Readonly<Record<string, string>> = {
  write: 'restores',
  create: 'brings back',
  delete: 'deletes',
  mkdir: 'brings back folder',
  rmdir: 'removes folder',
  move: 'moves back',
  link: 'brings back link',
};

/** Maximum number of listed steps. */
const MAX_STEPS = 50;

interface UndoBoxProps {
  readonly selection: { readonly call: string } | { readonly session: string };
  readonly stale: unknown;
}

/** Shows the effects of an undo, and runs it after confirmation. */
export function UndoBox({ selection, stale }: UndoBoxProps) {
  const { value: plan, error } = useRequest('changes.plan', selection, stale);
  const action = useAction();
  const all = 'session' in selection;
  if (error !== undefined) return <p class="muted">{error.message}</p>;
  if (plan === undefined) return null;
  return (
    <section class="card" aria-label="Undo">
      <ul class="plain-list">
        {plan.changes.slice(0, MAX_STEPS).map(({ kind, path, to }, index) => (
          <li key={index}>
            {`Undo ${DOES[kind] ?? kind} `}
            <code>{visible(to === undefined ? path : `${path} → ${to}`)}</code>
          </li>
        ))}
        {plan.changes.length > MAX_STEPS && <li>{`and ${count(plan.changes.length - MAX_STEPS, 'more')}`}</li>}
      </ul>
      {[...plan.keptFolders.map((folder) => `Leaves folder ${folder}, which now contains something else.`), ...plan.notCovered].map((text) => (
        <p key={text} class="note note-warn">
          {visible(text)}
        </p>
      ))}
      {plan.conflicts.map((text) => (
        <p key={text} class="note note-bad">
          {visible(text)}
        </p>
      ))}
      <Failure error={action.error} />
      <div class="actions">
        <ConfirmButton
          text={all ? 'Undo all' : 'Undo this call'}
          question={`Undo ${count(plan.calls.length, 'call')}?`}
          disabled={action.busy || plan.conflicts.length > 0}
          onConfirm={() => void action.run(() => line.request('changes.undo', selection))}
        />
      </div>
    </section>
  );
}
