import type { ConsoleConfiguredRules, ConsolePolicy, ConsoleProposal } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { RequestLines } from '../diff/diff.tsx';
import { line } from '../link/line.ts';
import { useRequest } from '../link/use-request.ts';
import { visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { useAction } from '../parts/use-action.ts';
import { useStore } from '../state/store.ts';
import { ConfiguredRules } from './configured-rules.tsx';

const VERDICTS = ['allow', 'ask', 'deny'] as const;
type Verdict = (typeof VERDICTS)[number];
type Configured = ConsoleConfiguredRules['rules'][number];
type Mode = ConsolePolicy['modes'][number]['mode'];

const KINDS: Readonly<Record<string, 'added' | 'removed'>> = { '+': 'added', '-': 'removed' };

const diffLines = (diff: string) =>
  diff
    .replace(/\n$/u, '')
    .split('\n')
    .map((text) => ({ kind: KINDS[text.charAt(0)] ?? ('plain' as const), text }));

/** Changes the mode and the rules of the project. Shows the difference to its configuration, and writes it after a yes. */
export function SettingsForm({ policy: { mode: now, modes } }: { readonly policy: ConsolePolicy }) {
  const stale = useStore((state) => state.stale.policy);
  const configured = useRequest('settings.rules', {}, String(stale));
  const [removed, setRemoved] = useState<Configured>();
  const [mode, setMode] = useState<Mode>();
  const [verdict, setVerdict] = useState<Verdict>('allow');
  const [rule, setRule] = useState('');
  const [proposal, setProposal] = useState<ConsoleProposal>();
  const action = useAction();
  const wanted = {
    ...(mode === undefined ? {} : { mode }),
    ...(rule.trim() === '' ? {} : { [verdict]: [rule.trim()] }),
    ...(removed === undefined ? {} : { remove: { [removed.verdict]: [removed.rule] } }),
  };
  const change = (apply: () => void): void => {
    apply();
    setProposal(undefined);
  };
  const propose = (event: SubmitEvent): void => {
    event.preventDefault();
    void action.run(async () => setProposal(await line.request('settings.propose', wanted)));
  };
  const write = (fingerprint: string): void =>
    void action.run(async () => {
      const done = await line.request('settings.write', { ...wanted, fingerprint });
      setProposal(undefined);
      setMode(undefined);
      setRule('');
      setRemoved(undefined);
      configured.reload();
      return done;
    });
  return (
    <form class="form card" onSubmit={propose}>
      <div class="settings-row">
        <label class="field">
          <span>Mode of this project</span>
          <select
            value={mode ?? ''}
            onChange={({ currentTarget: { value } }) => change(() => setMode(modes.find((one) => one.mode === value)?.mode))}
          >
            <option value="">{`Leave it (now ${now})`}</option>
            {modes.map((one) => (
              <option key={one.mode} value={one.mode}>
                {one.mode}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>New rule</span>
          <select
            value={verdict}
            onChange={({ currentTarget: { value } }) => change(() => setVerdict(VERDICTS.find((one) => one === value) ?? 'ask'))}
          >
            {VERDICTS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label class="field grow">
          <span>What it covers</span>
          <input
            type="text"
            class="mono"
            placeholder="exec(npm test)"
            value={rule}
            onInput={({ currentTarget: { value } }) => change(() => setRule(value))}
          />
        </label>
      </div>
      {modes
        .filter((one) => one.mode === mode)
        .map(({ meaning }) => (
          <p key={meaning} class="muted">
            {meaning}
          </p>
        ))}
      <ConfiguredRules rules={configured.value?.rules ?? []} removed={removed} onRemove={(one) => change(() => setRemoved(one))} />
      <Failure error={action.error} />
      {proposal === undefined ? (
        <button type="submit" class="button" disabled={action.busy || Object.keys(wanted).length === 0}>
          Show the change
        </button>
      ) : proposal.diff === '' ? (
        <p class="muted">The configuration has all of it already.</p>
      ) : (
        <>
          <p>
            Change <code>{visible(proposal.file)}</code>
          </p>
          <RequestLines lines={diffLines(proposal.diff)} label="Change of the configuration" />
          {!proposal.counts && (
            <p class="note note-warn">Its rules that allow, and its mode, do not count yet, because the project is not trusted. See Projects.</p>
          )}
          <div class="actions">
            <button type="button" class="button primary" disabled={action.busy} onClick={() => write(proposal.fingerprint)}>
              Write it
            </button>
            <button type="button" class="button" onClick={() => setProposal(undefined)}>
              Cancel
            </button>
          </div>
        </>
      )}
    </form>
  );
}
