import type { ConsoleBranchEffect, ConsoleChange, ConsoleShownConflict } from '@synapse/protocol/console';
import { Change, Lines } from '../diff/diff.tsx';
import { useRequest } from '../link/use-request.ts';
import { Badge } from '../parts/badge.tsx';
import { count, visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';

type Place = ConsoleShownConflict['places'][number];
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

function PlaceView({ path, place, number }: { readonly path: string; readonly place: Place; readonly number: number }) {
  return (
    <div class="change">
      <div class="change-head">
        <span class="strong">{`Place ${number}`}</span>
        {place.both ? <Badge tone="warn">both changed it</Badge> : <span class="muted">one side changed it</span>}
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

interface ThreeVersionsProps {
  readonly name: string;
  /** As last seen: each look at the branch brings a new one. */
  readonly conflict: ConsoleBranchEffect['conflicts'][number];
  readonly change: ConsoleChange | undefined;
}

/** A conflict in its three versions: what the branch began with, what it has, and what the workspace has. */
export function ThreeVersions({ name, conflict, change }: ThreeVersionsProps) {
  const { path } = conflict;
  // While the branch is applied, it cannot be read: the look after that shows the versions in place of the error.
  const { value, error, reload } = useRequest('branches.conflict', { name, path }, conflict);
  if (value === undefined) return error === undefined ? <Loading /> : <Failure error={error} onRetry={reload} />;
  const { versions, places, more } = value;
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
        <PlaceView key={index} path={path} place={place} number={index + 1} />
      ))}
      {more > 0 && <p class="muted">{`${count(more, 'more place')} not listed`}</p>}
      {places.length === 0 && change !== undefined && <Change change={change} by="both versions" />}
    </>
  );
}
