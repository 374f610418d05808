import type { ConsoleServer } from '@synapse/protocol/console';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { clock, count, visible } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';
import { useStore } from '../state/store.ts';

const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  connecting: 'busy',
  waiting: 'warn',
  failed: 'bad',
  untrusted: 'warn',
  unapproved: 'warn',
};

function ServerCard({ server, onChange }: { readonly server: ConsoleServer; readonly onChange: () => void }) {
  const { name, state, reason, target, origin, wants, tools, pendingReview, problems } = server;
  const action = useAction();
  const act = (work: () => Promise<unknown>): void =>
    void action.run(async () => {
      await work();
      onChange();
    });
  return (
    <article class="card">
      <p>
        <strong>{visible(name)}</strong> <Badge tone={TONES[state] ?? 'plain'}>{state}</Badge>
      </p>
      <p class="muted">
        <code>{visible(target)}</code> {visible(origin)}
      </p>
      {reason !== undefined && <p class="note note-warn">{visible(reason)}</p>}
      {tools.length > 0 && <p class="muted">{`${count(tools.length, 'tool')}: ${visible(tools.join(', '))}`}</p>}
      {pendingReview.map((tool) => (
        <details key={tool.name}>
          <summary>{visible(`${tool.name} is ${tool.kind}, and waits for you`)}</summary>
          <ul class="plain-list">
            {tool.difference.map((text, index) => (
              <li key={index}>
                <code>{visible(text)}</code>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {[...wants, ...problems].map((text) => (
        <p key={text} class="muted">
          {visible(text)}
        </p>
      ))}
      <Failure error={action.error} />
      <div class="actions">
        <button type="button" class="button" disabled={action.busy} onClick={() => act(() => line.request('servers.test', { name }))}>
          {action.busy ? 'Connecting' : 'Connect'}
        </button>
        {(pendingReview.length > 0 || state === 'unapproved') && (
          <ConfirmButton
            text="Approve what is shown"
            question={`Let ${visible(name)} in as it is shown?`}
            disabled={action.busy}
            onConfirm={() => act(() => line.request('servers.approve', { name, hashes: pendingReview.map(({ hash }) => hash) }))}
          />
        )}
      </div>
    </article>
  );
}

/** MCP servers, and connections to remote brains. */
export function ConnectionsView() {
  const stale = useStore((state) => state.stale.servers);
  const { value, error, reload } = useRequest('servers.list', {}, stale);
  return (
    <div class="column">
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.problems.map((problem) => (
        <p key={problem} class="note note-warn">
          {visible(problem)}
        </p>
      ))}
      {value !== undefined && (
        <>
          <Section level={2} title="MCP servers">
            {value.servers.length === 0 && <Empty title="No MCP servers">Name some in a configuration file; synapse mcp list says where.</Empty>}
            {value.servers.map((server) => (
              <ServerCard key={server.name} server={server} onChange={reload} />
            ))}
          </Section>
          <Section level={2} title="Remotes">
            {value.remotes.length === 0 && <Empty title="No remotes">synapse connect lets a brain elsewhere use the tools of this project.</Empty>}
            <ul class="card-list">
              {value.remotes.map(({ session, connected, time }) => (
                <li key={session} class="card-row">
                  <code>{session}</code>
                  <span class="row-facts muted">
                    <Badge tone={connected ? 'good' : 'plain'}>{connected ? 'connected' : 'not connected'}</Badge>
                    {`last used ${clock(time)}`}
                  </span>
                </li>
              ))}
            </ul>
          </Section>
        </>
      )}
    </div>
  );
}
