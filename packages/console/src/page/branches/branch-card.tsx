import type { ConsoleBranch } from '@synapse/protocol/console';
import { hrefOf } from '../link/places.ts';
import { Badge, STATUS_TONES } from '../parts/badge.tsx';
import { clock, count, visible } from '../parts/format.ts';

type Session = ConsoleBranch['sessions'][number];

/** Sessions and jobs that a card names. */
const NAMED = 3;
/** Characters of a command in a card. */
const MAX_COMMAND = 80;
/** Characters of an id that distinguish it. */
const SHORT_ID = 12;

/** What a session is about, in one line. */
export function sessionLine({ session, title, calls, tool, time }: Session): string {
  const name = title ?? (session === null ? 'Calls without a session' : session.slice(0, SHORT_ID));
  return [name, count(calls, 'call'), ...(tool === undefined ? [] : [`${tool} ${clock(time)}`])].join(' · ');
}

const TESTS: Readonly<Record<NonNullable<ConsoleBranch['tests']>['status'], string>> = {
  ok: 'tests green',
  failed: 'tests red',
  running: 'tests run',
  interrupted: 'tests interrupted',
};

/** The outcome of the last tests. */
export function TestsLine({ tests: { line, status, changedSince } }: { readonly tests: NonNullable<ConsoleBranch['tests']> }) {
  return (
    <>
      <Badge tone={changedSince && status === 'ok' ? 'warn' : STATUS_TONES[status]}>{TESTS[status]}</Badge>{' '}
      <code>{visible(line.slice(0, MAX_COMMAND))}</code>
      {changedSince && <span class="muted"> changed since</span>}
    </>
  );
}

/** A branch among the others: who works in it, and how much it changed. */
export function BranchCard({ branch, current }: { readonly branch: ConsoleBranch; readonly current: boolean }) {
  const { name, from, created, changes, inUse, command, tests, jobs, sessions } = branch;
  return (
    <li>
      <a class="branch-card" href={hrefOf('branches', name)} aria-current={current ? 'true' : undefined}>
        <span class="row-facts">
          <span class="strong">{visible(name)}</span>
          {inUse && <Badge tone="busy">in use</Badge>}
        </span>
        <span class="muted">
          {[count(changes, 'change'), ...(from === null ? [] : [`from ${visible(from)}`]), `made ${clock(created)}`].join(' · ')}
        </span>
        {sessions.slice(0, NAMED).map((session) => (
          <span key={session.session} class="branch-line">
            <span class={`dot ${session.running ? 'tone-busy' : ''}`} aria-hidden="true" />
            <span class="visually-hidden">{session.running ? 'Works now: ' : 'Worked: '}</span>
            {visible(sessionLine(session))}
          </span>
        ))}
        {tests !== undefined && (
          <span class="branch-line">
            <TestsLine tests={tests} />
          </span>
        )}
        {command !== undefined && command.time !== tests?.time && (
          <span class="branch-line">
            <span class="visually-hidden">Last command: </span>
            <Badge tone={STATUS_TONES[command.status]}>{command.status}</Badge> <code>{visible(command.line.slice(0, MAX_COMMAND))}</code>
          </span>
        )}
        {jobs.slice(0, NAMED).map(({ id, command }) => (
          <span key={id} class="branch-line">
            <span class="dot tone-busy" aria-hidden="true" />
            <span class="visually-hidden">Job: </span>
            <code>{visible(command)}</code>
          </span>
        ))}
        {sessions.length + jobs.length === 0 && <span class="muted">No calls yet</span>}
      </a>
    </li>
  );
}
