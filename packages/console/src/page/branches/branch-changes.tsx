import type { ConsoleApplied, ConsoleBranch, ConsoleBranchEffect } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { EffectView } from '../diff/effect-view.tsx';
import { line } from '../link/line.ts';
import { hrefOf } from '../link/places.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { count, visible } from '../parts/format.ts';
import { Empty, Failure } from '../parts/note.tsx';
import { useAction } from '../parts/use-action.ts';
import { amountOf, choicesOf, partOf, type Choice, type LeftOut } from './choices.ts';
import { Chosen } from './chosen.tsx';
import { Conflicts } from './conflicts.tsx';

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

/** What is applied, in words. */
function whatOf(choices: readonly Choice[], left: LeftOut, hasConflicts: boolean): string {
  const { all = [], some = [] } = Object.groupBy(choices, (choice) => amountOf(choice, left));
  const inPart = some.length === 0 ? '' : `, ${some.length} in part`;
  if (all.length + some.length < choices.length || some.length > 0) return `${all.length + some.length} of ${choices.length}${inPart}`;
  return hasConflicts ? 'all but conflicts' : 'all changes';
}

/** Whether nothing can be applied now, whatever is chosen or as nothing is. */
const isHeld = ({ blocked, comparedWith }: ConsoleBranchEffect, paths: readonly string[] | undefined): boolean =>
  paths?.length === 0 || blocked !== undefined || comparedWith !== null;
const baseOf = ({ comparedWith }: ConsoleBranchEffect): string => (comparedWith === null ? 'the workspace' : visible(comparedWith));

/** The changes of a branch, to be applied as a whole or in part. */
export function BranchChanges({ branch, effect }: { readonly branch: ConsoleBranch; readonly effect: ConsoleBranchEffect }) {
  const { name, inUse } = branch;
  const [left, setLeft] = useState<LeftOut>(new Set());
  const [applied, setApplied] = useState<ConsoleApplied>();
  const action = useAction();
  const { changes, repositories, merged, conflicts, comparedWith } = effect;
  const inConflict = new Set(conflicts.map(({ path }) => path));
  const choices = choicesOf(changes.filter(({ path }) => !inConflict.has(path)));
  const part = partOf(choices, left);
  const { paths } = part;
  const apply = async (): Promise<ConsoleApplied> => {
    const done = await line.request('branches.apply', { name, ...part });
    setApplied(done);
    return done;
  };
  const drop = (): Promise<unknown> => line.request('branches.drop', { name });
  const isEmpty = changes.length === 0 && repositories.length === 0;
  const hasChoice = choices.length > 0 || repositories.length > 0;
  const what = whatOf(choices, left, conflicts.length > 0);
  return (
    <>
      {applied !== undefined && <Applied applied={applied} />}
      <Failure error={action.error} />
      {inUse && <p class="note">A process works in this branch, so that it can be neither applied nor deleted.</p>}
      {comparedWith !== null && (
        <p class="note">{`Compared with ${visible(comparedWith)}, which it is based on and whose changes are not applied: apply that one first.`}</p>
      )}
      <div class="actions">
        {hasChoice && (
          <ConfirmButton
            text={`Apply ${what}`}
            question={`Apply ${what} to the workspace?`}
            disabled={action.busy || inUse || isHeld(effect, paths)}
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
      {isEmpty && <Empty title="Nothing differs">{`This branch is as ${baseOf(effect)} is now.`}</Empty>}
      {conflicts.length > 0 && <Conflicts name={name} conflicts={conflicts} changes={changes} />}
      <EffectView effect={effect}>
        <div class="changes">
          {choices.map((choice) => (
            <Chosen key={choice.path} choice={choice} merged={merged} left={left} onChoose={setLeft} />
          ))}
        </div>
      </EffectView>
    </>
  );
}
