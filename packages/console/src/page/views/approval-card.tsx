import type { ConsoleApproval, ConsoleParams, ConsoleTrial } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { RequestLines } from '../diff/diff.tsx';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { Failure } from '../parts/note.tsx';
import { AlwaysChoice, type Always } from './always-choice.tsx';
import { QuestionCard } from './question-card.tsx';
import { TrialView } from './trial-view.tsx';

type Answer = Omit<ConsoleParams<'approvals.answer'>, 'id' | 'fingerprint'>;

/** A question about a call, in full. */
export function ApprovalCard({ approval, first }: { readonly approval: ConsoleApproval; readonly first: boolean }) {
  const { id, fingerprint, heading, body, effects, reason, changed, canTry, proposals } = approval;
  const [trial, setTrial] = useState<ConsoleTrial>();
  const [refusal, setRefusal] = useState('');
  const { busy, error, run } = useAction();
  const answer = (given: Answer): void => void run(() => line.request('approvals.answer', { id, fingerprint, ...given }));
  const allow = (always?: Always): void => {
    const effect = trial?.fingerprint ?? changed?.fingerprint;
    answer({ verdict: 'allow', ...always, ...(effect === undefined || always !== undefined ? {} : { effect }) });
  };
  const deny = (): void => answer({ verdict: 'deny', ...(refusal === '' ? {} : { reason: refusal }) });
  const tryIt = (): void => void run(async () => setTrial(await line.request('approvals.try', { id })));
  const keys: Readonly<Record<string, () => void>> = {
    y: () => allow(),
    n: deny,
    t: () => canTry && tryIt(),
  };
  const blocked = trial?.blocked ?? changed?.blocked;
  return (
    <QuestionCard question={approval} heading={heading} first={first} busy={busy} keys={keys}>
      <RequestLines lines={body} label="What will run" />
      {effects.length > 0 && (
        <ul class="effects" aria-label="Effects">
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
      <p class="muted">{reason}</p>
      {changed !== undefined && <TrialView trial={changed} title={changed.headline} />}
      {trial !== undefined && <TrialView trial={trial} title="Tried on a copy. Allow makes exactly these changes." />}
      <Failure error={error} />
      <div class="actions">
        <button type="button" class="button primary" disabled={busy || blocked !== undefined} onClick={() => allow()}>
          {trial === undefined && changed === undefined ? 'Allow once' : 'Allow these changes'}
        </button>
        <button type="button" class="button danger" disabled={busy} onClick={deny}>
          Deny
        </button>
        {canTry && trial === undefined && (
          <button type="button" class="button" disabled={busy} onClick={tryIt}>
            Try it on a copy
          </button>
        )}
        <label class="grow">
          <span class="visually-hidden">Reason for a denial</span>
          <input type="text" placeholder="Reason, if you deny" value={refusal} onInput={({ currentTarget }) => setRefusal(currentTarget.value)} />
        </label>
      </div>
      {proposals.length > 0 && <AlwaysChoice proposals={proposals} busy={busy} onAllow={allow} />}
    </QuestionCard>
  );
}
