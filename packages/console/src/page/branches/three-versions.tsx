import type { ConsoleBranchEffect, ConsoleChange, ConsoleParams, ConsoleShownConflict } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { Change, Lines } from '../diff/diff.tsx';
import { line } from '../link/line.ts';
import { useRequest } from '../link/use-request.ts';
import { Badge } from '../parts/badge.tsx';
import { count, visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';
import type { ActionState } from '../parts/use-action.ts';

type Place = ConsoleShownConflict['places'][number];
type PlaceSide = Exclude<ConsoleParams<'branches.resolve'>['take'], string>[number];
type Side = 'base' | 'branch' | 'workspace';

const SIDES: readonly (readonly [Side, string])[] = [
  ['base', 'Before'],
  ['branch', 'Branch'],
  ['workspace', 'Workspace'],
];

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join('') === other.join('');

/** The lines of one version, of which those that it changed have a sign. */
function linesOf(place: Place, side: Side): { kind: string; text: string }[] {
  const changed = side !== 'base' && !isSame(place[side].lines, place.base.lines);
  const line = (text: string, own: boolean) => ({
    kind: own ? 'added' : 'same',
    text: `${own ? '+' : ' '}${text.replace(/\n$/u, '')}`,
  });
  return [
    ...place.before.map((text) => line(text, false)),
    ...place[side].lines.map((text) => line(text, changed)),
    ...place.after.map((text) => line(text, false)),
  ];
}

const CHOICES: readonly (readonly [PlaceSide, string])[] = [
  ['branch', 'Branch'],
  ['workspace', 'Workspace'],
  ['both', 'Both'],
];

interface PlaceViewProps {
  readonly path: string;
  readonly place: Place;
  readonly number: number;
  /** What is chosen, and how to choose; undefined where there is nothing to choose. */
  readonly choice: { readonly side: PlaceSide | undefined; readonly choose: (side: PlaceSide) => void } | undefined;
}

function PlaceView({ path, place, number, choice }: PlaceViewProps) {
  return (
    <div class="change">
      <div class="change-head">
        <span class="strong">{`Place ${number}`}</span>
        {place.both ? <Badge tone="warn">both changed it</Badge> : <span class="muted">one side changed it</span>}
        {choice !== undefined && (
          <span class="segments" role="group" aria-label={`Take at place ${number} of ${visible(path)}`}>
            {CHOICES.map(([side, text]) => (
              <button key={side} type="button" aria-pressed={choice.side === side} onClick={() => choice.choose(side)}>
                {text}
              </button>
            ))}
          </span>
        )}
      </div>
      <div class="three">
        {SIDES.map(([side, name]) => (
          <div key={side} class="change">
            <span class="muted">{`${name}, line ${place[side].line}`}</span>
            {place[side].lines.length === 0 && <span class="muted">These lines are not there.</span>}
            <Lines lines={linesOf(place, side)} label={`${name} of ${visible(path)}, place ${number}`} />
          </div>
        ))}
      </div>
    </div>
  );
}

type Sides = ReadonlyMap<number, PlaceSide>;
const NONE: Sides = new Map();

/** The chosen sides, by the number of their place. They count as long as the places are as they were seen. */
function useSides(places: readonly Place[]): readonly [sides: Sides, choose: (number: number, side: PlaceSide) => void] {
  const [chosen, setChosen] = useState({ seen: '', sides: NONE });
  const seen = JSON.stringify(places);
  const sides = chosen.seen === seen ? chosen.sides : NONE;
  return [sides, (number, side) => setChosen({ seen, sides: new Map(sides).set(number, side) })];
}

interface ThreeVersionsProps {
  readonly name: string;
  /** As last seen: each look at the branch brings a new one. */
  readonly conflict: ConsoleBranchEffect['conflicts'][number];
  readonly change: ConsoleChange | undefined;
  /** What merges the lines of both sides, with a side for each place that both changed. */
  readonly action: ActionState;
}

/** A conflict in its three versions: what the branch began with, what it has, and what the workspace has. */
export function ThreeVersions({ name, conflict, change, action }: ThreeVersionsProps) {
  const { path } = conflict;
  // While the branch is applied, it cannot be read: the look after that shows the versions in place of the error.
  const { value, error, reload } = useRequest('branches.conflict', { name, path }, conflict);
  const [sides, choose] = useSides(value?.places ?? []);
  if (value === undefined) return error === undefined ? <Loading /> : <Failure error={error} onRetry={reload} />;
  const { versions, mergeable, places, more } = value;
  // All of them must be seen to choose.
  const both = more > 0 || !mergeable ? [] : places.flatMap((place, index) => (place.both ? [index + 1] : []));
  const take = both.flatMap((number) => sides.get(number) ?? []);
  return (
    <>
      <dl class="three versions">
        {SIDES.map(([side, text]) => (
          <div key={side}>
            <dt>{text}</dt>
            <dd>{visible(versions[side].what)}</dd>
          </div>
        ))}
      </dl>
      {places.map((place, index) => (
        <PlaceView
          key={index}
          path={path}
          place={place}
          number={index + 1}
          choice={both.includes(index + 1) ? { side: sides.get(index + 1), choose: (side) => choose(index + 1, side) } : undefined}
        />
      ))}
      {both.length > 0 && (
        <div class="actions">
          <button
            type="button"
            class="button"
            disabled={action.busy || take.length < both.length}
            onClick={() => void action.run(() => line.request('branches.resolve', { name, path, take }))}
          >
            Merge both sides
          </button>
          <span class="muted">
            {take.length < both.length
              ? 'Choose a side at each place that both changed.'
              : 'Takes what each side changed alone, and the chosen sides where both did.'}
          </span>
        </div>
      )}
      {more > 0 && <p class="muted">{`${count(more, 'more place')} not listed`}</p>}
      {places.length === 0 && change !== undefined && <Change change={change} by="both versions" />}
    </>
  );
}
