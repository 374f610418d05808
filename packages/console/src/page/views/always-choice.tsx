import type { ConsoleApproval } from '@synapse/protocol/console';

/** The approval to remember, and its scope. */
export interface Always {
  readonly scope: 'session' | 'project';
  /** Index of the proposal. */
  readonly proposal: number;
}

/** The exact rules that an "always" would save, each with what it covers and what it does not cover. */
export function AlwaysChoice({
  proposals,
  busy,
  onAllow,
}: {
  readonly proposals: ConsoleApproval['proposals'];
  readonly busy: boolean;
  readonly onAllow: (always: Always) => void;
}) {
  return (
    <details class="always">
      <summary>Allow always …</summary>
      {proposals.map(({ rules, covers, doesNotCover }, index) => (
        <div key={index} class="proposal">
          <p>
            Saves{' '}
            {rules.map((rule) => (
              <code key={rule}>{rule}</code>
            ))}
          </p>
          <p class="muted">Also covers: {covers}</p>
          <p class="muted">Still asks: {doesNotCover}</p>
          <div class="actions">
            <button type="button" class="button" disabled={busy} onClick={() => onAllow({ scope: 'session', proposal: index })}>
              For this session
            </button>
            <button type="button" class="button" disabled={busy} onClick={() => onAllow({ scope: 'project', proposal: index })}>
              In this project
            </button>
          </div>
        </div>
      ))}
    </details>
  );
}
