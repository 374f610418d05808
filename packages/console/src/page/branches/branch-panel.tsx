import type { ConsoleBranch } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { EffectView } from '../diff/effect-view.tsx';
import { useRequest } from '../link/use-request.ts';
import { Badge, STATUS_TONES } from '../parts/badge.tsx';
import { clock, count, visible } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { Panel } from '../parts/panel.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { BranchTimeline } from '../transcript/timeline-view.tsx';
import { useStore } from '../state/store.ts';
import { BranchChanges } from './branch-changes.tsx';
import { sessionLine, TestsLine } from './branch-card.tsx';

const TABS = [
  ['changes', 'Changes'],
  ['timeline', 'Timeline'],
] as const;

/** Characters of a command. */
const MAX_COMMAND = 200;

/** Stands for the workspace among the branches to compare with. It is no name of a branch. */
const WORKSPACE = '';

interface Compared {
  readonly branch: ConsoleBranch;
  /** Changes when the branch may have changed. */
  readonly watched: string;
}

function WithWorkspace({ branch, watched }: Compared) {
  const { value, error, reload } = useRequest('branches.show', { name: branch.name }, watched);
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value !== undefined && <BranchChanges branch={branch} effect={value} />}
    </>
  );
}

function WithBranch({ branch: { name }, other, watched }: Compared & { readonly other: string }) {
  const { value, error, reload } = useRequest('branches.compare', { name: other, other: name }, watched);
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value !== undefined && <p class="muted">{`− is ${visible(other)}, + is ${visible(name)}.`}</p>}
      {value?.changes.length === 0 && <Empty title="Nothing differs">{`${visible(other)} and ${visible(name)} have the same files.`}</Empty>}
      {value !== undefined && <EffectView effect={value} />}
    </>
  );
}

function Workers({ branch: { name, sessions, jobs } }: { readonly branch: ConsoleBranch }) {
  if (sessions.length + jobs.length === 0) return null;
  return (
    <Section title="Who works in it">
      <ul class="plain-list">
        {sessions.map((session) => (
          <li key={session.session} class="row-facts">
            {session.running && <Badge tone="busy">works</Badge>}
            <span>{visible(sessionLine(session))}</span>
          </li>
        ))}
        {jobs.map(({ id, command, ports }) => (
          <li key={id} class="row-facts">
            <Badge tone="busy">job</Badge>
            <code>{visible(command)}</code>
            {ports.length > 0 && (
              <span class="muted">
                {`listens on ${ports.join(', ')}: `}
                <code>{`synapse jobs forward ${id} --branch ${name}`}</code>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A branch: who works in it, what it changed, and how it differs from the workspace or another branch. */
export function BranchPanel({ branch, others }: { readonly branch: ConsoleBranch; readonly others: readonly ConsoleBranch[] }) {
  const { name, from, created, changes, inUse, command, tests } = branch;
  const [tab, setTab] = useState<'changes' | 'timeline'>('changes');
  const [chosen, setChosen] = useState(WORKSPACE);
  const [round, setRound] = useState(0);
  const other = others.find((one) => one.name === chosen);
  const stale = useStore((state) => state.stale.branches);
  const watched = JSON.stringify([
    round,
    stale,
    [branch, ...(other === undefined ? [] : [other])].map((one) => [one.changes, one.inUse, one.sessions[0]]),
  ]);
  return (
    <Panel label="Branch" view="branches" id={name} title={visible(name)} badge={inUse && <Badge tone="busy">in use</Badge>}>
      <Facts
        facts={[
          ['Changes', count(changes, 'change')],
          ['Made', clock(created)],
          ['Based on', from === null ? 'the workspace' : visible(from)],
          ['Tests', tests === undefined ? undefined : <TestsLine tests={tests} />],
          [
            'Last command',
            command === undefined || command.time === tests?.time ? undefined : (
              <>
                <Badge tone={STATUS_TONES[command.status]}>{command.status}</Badge> <code>{visible(command.line.slice(0, MAX_COMMAND))}</code>
              </>
            ),
          ],
        ]}
      />
      <Workers branch={branch} />
      <Tabs label="Branch" tabs={TABS} current={tab} onChoose={setTab} />
      <div class="tab-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'timeline' ? (
          <BranchTimeline name={name} watched={watched} />
        ) : (
          <>
            <div class="actions">
              <label class="compared">
                <span>Compared with</span>
                <select value={other === undefined ? WORKSPACE : chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                  <option value={WORKSPACE}>{from === null ? 'the workspace as it is now' : 'what it is based on'}</option>
                  {others.map((one) => (
                    <option key={one.name} value={one.name}>
                      {visible(one.name)}
                    </option>
                  ))}
                </select>
              </label>
              <button type="button" class="button" onClick={() => setRound(round + 1)}>
                Look again
              </button>
            </div>
            {other === undefined ? (
              <WithWorkspace branch={branch} watched={watched} />
            ) : (
              <WithBranch branch={branch} other={other.name} watched={watched} />
            )}
          </>
        )}
      </div>
    </Panel>
  );
}
