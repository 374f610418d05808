import type { ConsolePolicy } from '@synapse/protocol/console';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { Badge, VerdictBadge } from '../parts/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { clock, visible } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';
import { useStore } from '../state/store.ts';
import { ExplainForm } from './explain-form.tsx';

function Grants({ grants }: { readonly grants: ConsolePolicy['grants'] }) {
  const action = useAction();
  if (grants.length === 0) return <p class="muted">No approval is remembered.</p>;
  return (
    <>
      <Failure error={action.error} />
      <ul class="card-list">
        {grants.map(({ scope, tool, rules, grantedAt, expiresAt }, index) => (
          <li key={index} class="card-row">
            <span>
              {rules.map((rule) => (
                <code key={rule} class="block">
                  {visible(rule)}
                </code>
              ))}
            </span>
            <span class="row-facts muted">
              <Badge>{scope}</Badge>
              {`${visible(tool)} · ${clock(grantedAt)}${expiresAt === undefined ? '' : ` · until ${clock(expiresAt)}`}`}
              <ConfirmButton
                text="Revoke"
                question="Ask again from now on?"
                disabled={action.busy}
                onConfirm={() => void action.run(() => line.request('policy.revoke', { number: index + 1, rules }))}
              />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Rules({ rules }: { readonly rules: ConsolePolicy['rules'] }) {
  if (rules.length === 0) return <Empty title="No rules">The mode decides.</Empty>;
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Rules">
      <table>
        <thead>
          <tr>
            <th scope="col">Verdict</th>
            <th scope="col">Rule</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ verdict, rule, layer, origin, reason }, index) => (
            <tr key={index}>
              <td>
                <VerdictBadge verdict={verdict} />
              </td>
              <td>
                <code>{visible(rule)}</code>
                {reason !== undefined && <p class="muted">{visible(reason)}</p>}
              </td>
              <td class="muted">{visible(`${layer}: ${origin}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The active rules, the remembered approvals, and explanations of their decisions. */
export function PolicyView() {
  const stale = useStore((state) => state.stale.policy);
  const waits = useStore((state) => state.approvals.length);
  const { value, error, reload } = useRequest('policy.report', {}, `${stale} ${waits}`);
  return (
    <div class="column">
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value !== undefined && (
        <>
          <p>
            Mode <strong>{value.mode}</strong> <span class="muted">{visible(value.modeOrigin)}</span>
          </p>
          {value.notices.map((notice) => (
            <p key={notice} class="note note-warn">
              {visible(notice)}
            </p>
          ))}
          <Section level={2} title="Explain a call">
            <ExplainForm />
          </Section>
          <Section level={2} title="Remembered approvals">
            <Grants grants={value.grants} />
          </Section>
          <Section level={2} title="Rules">
            <Rules rules={value.rules} />
          </Section>
        </>
      )}
    </div>
  );
}
