import type { ConsolePolicy } from '@synapse/protocol/console';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { Badge } from '../parts/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { clock, visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';
import { useStore } from '../state/store.ts';
import { ExplainForm } from './explain-form.tsx';
import { ModeAnswers, RuleGroups } from './rule-groups.tsx';
import { SettingsForm } from './settings-form.tsx';

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
          {value.notices.map((notice) => (
            <p key={notice} class="note note-warn">
              {visible(notice)}
            </p>
          ))}
          <Section level={2} title={`Mode ${value.mode}`}>
            <p class="muted">{visible(`Set by ${value.modeOrigin}. Where no rule matches:`)}</p>
            <ModeAnswers policy={value} />
          </Section>
          <Section level={2} title="Settings">
            <SettingsForm policy={value} />
          </Section>
          <Section level={2} title="Explain a call">
            <ExplainForm />
          </Section>
          <Section level={2} title="Remembered approvals">
            <Grants grants={value.grants} />
          </Section>
          <Section level={2} title="Rules">
            <RuleGroups rules={value.rules} />
          </Section>
        </>
      )}
    </div>
  );
}
