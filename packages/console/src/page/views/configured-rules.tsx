import type { ConsoleConfiguredRules } from '@synapse/protocol/console';
import { VerdictBadge } from '../parts/badge.tsx';
import { visible } from '../parts/format.ts';

type Configured = ConsoleConfiguredRules['rules'][number];

interface ConfiguredRulesProps {
  readonly rules: readonly Configured[];
  /** The rule that the change removes; undefined if none. */
  readonly removed: Configured | undefined;
  readonly onRemove: (rule: Configured | undefined) => void;
}

/** The rules in the configuration of the project, each with a button that removes it. */
export function ConfiguredRules({ rules, removed, onRemove }: ConfiguredRulesProps) {
  if (rules.length === 0) return null;
  const isRemoved = ({ verdict, rule }: Configured): boolean => removed?.verdict === verdict && removed.rule === rule;
  return (
    <ul class="card-list" aria-label="Rules of this project">
      {rules.map((one) => (
        <li key={`${one.verdict} ${one.rule}`} class="rule">
          <VerdictBadge verdict={one.verdict} />
          <code class="grow">{isRemoved(one) ? <s>{visible(one.rule)}</s> : visible(one.rule)}</code>
          <button
            type="button"
            class="button small"
            aria-label={`${isRemoved(one) ? 'Keep' : 'Remove'} ${visible(one.rule)}`}
            onClick={() => onRemove(isRemoved(one) ? undefined : one)}
          >
            {isRemoved(one) ? 'Keep' : 'Remove'}
          </button>
        </li>
      ))}
    </ul>
  );
}
