import type { ConsoleProject } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { Badge } from '../parts/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { clock, visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { useAction } from '../parts/use-action.ts';
import { TrustBox } from './trust-box.tsx';

/** A tracked project, with what can be done with it. */
export function ProjectRow({ project: { root, added, trusted, exists, current } }: { readonly project: ConsoleProject }) {
  const [reviews, setReviews] = useState(false);
  const action = useAction();
  const name = visible(root.split('/').at(-1) ?? root);
  return (
    <li class="card-row">
      <div class="project-row">
        <span class="project-name">
          <span class="strong">{name}</span>
          <code class="muted ellipsis">{visible(root)}</code>
        </span>
        <span class="row-facts muted">
          {current && <Badge tone="good">open</Badge>}
          {!exists && <Badge tone="bad">gone</Badge>}
          {trusted && <Badge tone="warn">trusted</Badge>}
          {`since ${clock(added)}`}
          {exists && !current && (
            <button type="button" class="button small" onClick={() => line.choose(root)}>
              Open
            </button>
          )}
          {exists && !trusted && !reviews && (
            <button type="button" class="button small" aria-label={`Trust ${name}`} onClick={() => setReviews(true)}>
              Trust …
            </button>
          )}
          {trusted && (
            <ConfirmButton
              text="Distrust"
              question="Let it only forbid from now on?"
              disabled={action.busy}
              onConfirm={() => void action.run(() => line.request('projects.distrust', { root }))}
            />
          )}
        </span>
      </div>
      <Failure error={action.error} />
      {reviews && <TrustBox root={root} onDone={() => setReviews(false)} />}
    </li>
  );
}
