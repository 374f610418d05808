import type { ConsolePolicy } from '@synapse/protocol/console';
import { VerdictBadge } from '../parts/badge.tsx';
import { visible } from '../parts/format.ts';
import { Empty } from '../parts/note.tsx';

/** What the mode answers where no rule matches. */
export function ModeAnswers({ policy: { mode, modes } }: { readonly policy: ConsolePolicy }) {
  const answers = modes.find((one) => one.mode === mode)?.answers ?? [];
  return (
    <ul class="card-list answers">
      {answers.map(({ calls, answer }) => (
        <li key={calls} class="answer">
          <span>{calls}</span>
          <span class={`answer-word answer-${answer.split(' ')[0] ?? ''}`}>{answer}</span>
        </li>
      ))}
    </ul>
  );
}

/** The rules, under the file or the flag that they come from. */
export function RuleGroups({ rules }: { readonly rules: ConsolePolicy['rules'] }) {
  if (rules.length === 0) return <Empty title="No rules">The mode decides.</Empty>;
  const groups = Map.groupBy(rules, ({ layer, origin }) => `${layer}: ${origin.replace(/:\d+(?::\d+)?$/u, '')}`);
  return (
    <>
      {[...groups].map(([name, own]) => (
        <div key={name} class="rule-group">
          <h3 class="ellipsis" title={visible(name)}>
            {visible(name)}
          </h3>
          <ul class="card-list">
            {own.map(({ verdict, rule, reason }, index) => (
              <li key={index} class="rule">
                <VerdictBadge verdict={verdict} />
                <span>
                  <code>{visible(rule)}</code>
                  {reason !== undefined && <p class="muted">{visible(reason)}</p>}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}
