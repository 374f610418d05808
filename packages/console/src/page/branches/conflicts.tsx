import type { ConsoleBranchEffect, ConsoleChange } from '@synapse/protocol/console';
import { line } from '../link/line.ts';
import { count, visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';
import { useAction } from '../parts/use-action.ts';
import { ThreeVersions } from './three-versions.tsx';

type ConflictOf = ConsoleBranchEffect['conflicts'][number];

const VERSIONS = [
  ['branch', 'Take the whole version of the branch'],
  ['workspace', 'Keep the version of the workspace'],
] as const;

/** What both sides changed, in three versions. */
function Conflict({ name, conflict, change }: { readonly name: string; readonly conflict: ConflictOf; readonly change: ConsoleChange | undefined }) {
  const { path, detail } = conflict;
  const action = useAction();
  return (
    <div class="conflict">
      <code class="strong">{visible(path)}</code>
      <p class="muted">{visible(detail)}</p>
      <ThreeVersions name={name} conflict={conflict} change={change} action={action} />
      <Failure error={action.error} />
      <div class="actions" role="group" aria-label={`Version of ${visible(path)}`}>
        {VERSIONS.map(([take, text]) => (
          <button
            key={take}
            type="button"
            class="button"
            disabled={action.busy}
            onClick={() => void action.run(() => line.request('branches.resolve', { name, path, take }))}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

interface ConflictsProps {
  readonly name: string;
  readonly conflicts: readonly ConflictOf[];
  readonly changes: readonly ConsoleChange[];
}

/** What is not applied until a person chooses a version. */
export function Conflicts({ name, conflicts, changes }: ConflictsProps) {
  return (
    <Section title={count(conflicts.length, 'conflict')}>
      <p class="note note-warn">
        The branch and the workspace changed these in different ways. They are not applied before you choose, and nothing is lost: the workspace keeps
        its version, the branch its own.
      </p>
      {conflicts.map((conflict) => (
        <Conflict key={conflict.path} name={name} conflict={conflict} change={changes.find(({ path }) => path === conflict.path)} />
      ))}
    </Section>
  );
}
