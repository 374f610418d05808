import type { ConsoleApplied, ConsoleBranch, ConsoleBranchEffect } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { Change } from '../diff/diff.tsx';
import { EffectView } from '../diff/effect-view.tsx';
import { line } from '../link/line.ts';
import { hrefOf } from '../link/places.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { count, visible } from '../parts/format.ts';
import { Empty, Failure } from '../parts/note.tsx';
import { useAction } from '../parts/use-action.ts';
import { choicesOf, pathsOf, type Choice } from './choices.ts';
import { Conflicts } from './conflicts.tsx';

/** Changes that are applied together, with a box to leave them out. */
function Chosen({
  choice,
  merged,
  chosen,
  onChoose,
}: {
  readonly choice: Choice;
  readonly merged: readonly string[];
  readonly chosen: boolean;
  readonly onChoose: (yes: boolean) => void;
}) {
  const { path, changes } = choice;
  return (
    <div class="choice">
      <label class="choice-box">
        <input type="checkbox" checked={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.checked)} />
        <span class="visually-hidden">{`Apply ${visible(path)}`}</span>
      </label>
      <div class="changes">
        {changes.map((change) => (
          <div key={`${change.kind} ${change.path}`}>
            <Change change={change} />
            {merged.includes(change.path) && <p class="muted">Merged: the file gets the lines of both sides.</p>}
          </div>
        ))}
      </div>
    </div>
  );
}

function Applied({ applied: { call, applied, left } }: { readonly applied: ConsoleApplied }) {
  return (
    <p class="note" role="status">
      {`${count(applied, 'change')} applied.`}
      {left > 0 && ` ${count(left, 'other change stays', 'other changes stay')} in the branch.`}
      {applied > 0 && (
        <>
          {' '}
          <a href={hrefOf('changes', `call:${call}`)}>Undo …</a>
        </>
      )}
    </p>
  );
}

/** The changes of a branch, to be applied as a whole or in part. */
export function BranchChanges({ branch, effect }: { readonly branch: ConsoleBranch; readonly effect: ConsoleBranchEffect }) {
  const { name, inUse } = branch;
  // Kept by path, so that a new change is not left out by accident.
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [applied, setApplied] = useState<ConsoleApplied>();
  const action = useAction();
  const { changes, repositories, merged, conflicts } = effect;
  const inConflict = new Set(conflicts.map(({ path }) => path));
  const choices = choicesOf(changes.filter(({ path }) => !inConflict.has(path)));
  const paths = pathsOf(choices, left);
  const apply = async (): Promise<ConsoleApplied> => {
    const done = await line.request('branches.apply', { name, ...(paths === undefined ? {} : { paths: [...paths] }) });
    setApplied(done);
    return done;
  };
  const drop = (): Promise<unknown> => line.request('branches.drop', { name });
  const choose = (path: string, yes: boolean): void => {
    const rest = [...left].filter((one) => one !== path);
    setLeft(new Set(yes ? rest : [...rest, path]));
  };
  const isEmpty = changes.length === 0 && repositories.length === 0;
  const hasChoice = choices.length > 0 || repositories.length > 0;
  const what = paths === undefined ? (conflicts.length === 0 ? 'all changes' : 'all but conflicts') : `${paths.length} of ${choices.length}`;
  return (
    <>
      {applied !== undefined && <Applied applied={applied} />}
      <Failure error={action.error} />
      {inUse && <p class="note">A process works in this branch, so that it can be neither applied nor deleted.</p>}
      <div class="actions">
        {hasChoice && (
          <ConfirmButton
            text={`Apply ${what}`}
            question={`Apply ${what} to the workspace?`}
            disabled={action.busy || inUse || paths?.length === 0 || effect.blocked !== undefined}
            onConfirm={() => void action.run(apply)}
          />
        )}
        <ConfirmButton
          text="Delete the branch"
          question={isEmpty ? `Delete ${name}?` : `Delete ${name} and what was changed in it, for good?`}
          disabled={action.busy || inUse}
          onConfirm={() => void action.run(drop)}
        />
      </div>
      {paths !== undefined && repositories.length > 0 && <p class="muted">Commits are applied with all changes only.</p>}
      {isEmpty && <Empty title="Nothing differs">This branch is as the workspace is now.</Empty>}
      {conflicts.length > 0 && <Conflicts name={name} conflicts={conflicts} changes={changes} />}
      <EffectView effect={effect}>
        <div class="changes">
          {choices.map((choice) => (
            <Chosen key={choice.path} choice={choice} merged={merged} chosen={!left.has(choice.path)} onChoose={(yes) => choose(choice.path, yes)} />
          ))}
        </div>
      </EffectView>
    </>
  );
}
