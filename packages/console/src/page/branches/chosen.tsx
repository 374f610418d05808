import { Change, ChangeHead, diffLines, Lines } from '../diff/diff.tsx';
import { visible } from '../parts/format.ts';
import { amountOf, hunkKey, withHunk, withPath, type Choice, type LeftOut } from './choices.ts';

interface ChoosingProps {
  readonly choice: Choice;
  readonly left: LeftOut;
  readonly onChoose: (left: LeftOut) => void;
}

/** Whether all of a choice is applied, a part, or nothing of it. */
function WholeBox({ choice, left, onChoose }: ChoosingProps) {
  const amount = amountOf(choice, left);
  return (
    <label class="choice-box">
      <input
        type="checkbox"
        checked={amount === 'all'}
        // No attribute says so.
        ref={(box) => {
          if (box !== null) box.indeterminate = amount === 'some';
        }}
        onChange={({ currentTarget }) => onChoose(withPath(left, choice, currentTarget.checked))}
      />
      <span class="visually-hidden">{`Apply ${visible(choice.path)}`}</span>
    </label>
  );
}

/** The parts of a diff, each with a box. */
function Hunks({ choice, left, onChoose }: ChoosingProps) {
  const { path, changes, hunks } = choice;
  const [change] = changes;
  const rest = (change?.diff ?? '').split(hunks.at(-1) ?? '').at(-1) ?? '';
  return (
    <article class="change">
      {change !== undefined && <ChangeHead change={change} />}
      {hunks.map((hunk, index) => {
        const name = `hunk ${index + 1} of ${visible(path)}`;
        return (
          <div key={hunk} class="choice">
            <label class="choice-box">
              <input
                type="checkbox"
                checked={!left.has(path) && !left.has(hunkKey(path, hunk))}
                onChange={({ currentTarget }) => onChoose(withHunk(left, choice, hunk, currentTarget.checked))}
              />
              <span class="visually-hidden">{`Apply ${name}`}</span>
            </label>
            <Lines lines={diffLines(hunk)} label={`Difference in ${name}`} />
          </div>
        );
      })}
      {rest !== '' && <Lines lines={diffLines(rest)} label={`More of the difference of ${visible(path)}`} />}
    </article>
  );
}

/** Changes that are applied together, with boxes to leave them or parts of them out. */
export function Chosen({ merged, ...choosing }: ChoosingProps & { readonly merged: readonly string[] }) {
  const { changes, hunks } = choosing.choice;
  return (
    <div class="choice">
      <WholeBox {...choosing} />
      <div class="changes">
        {changes.map((change) => (
          <div key={`${change.kind} ${change.path}`}>
            {hunks.length === 0 ? <Change change={change} /> : <Hunks {...choosing} />}
            {merged.includes(change.path) && <p class="muted">Merged: the file gets the lines of both sides.</p>}
          </div>
        ))}
      </div>
    </div>
  );
}
