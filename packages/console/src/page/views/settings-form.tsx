import type { ConsoleConfiguredRules, ConsolePolicy, ConsoleProposal } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { useRequest } from '../link/use-request.ts';
import { Failure } from '../parts/note.tsx';
import { useAction } from '../parts/use-action.ts';
import { useStore } from '../state/store.ts';
import { ConfiguredRules } from './configured-rules.tsx';
import { ProposedChange } from './proposed-change.tsx';

const VERDICTS = ['allow', 'ask', 'deny'] as const;
type Verdict = (typeof VERDICTS)[number];
type Configured = ConsoleConfiguredRules['rules'][number];
type Mode = ConsolePolicy['modes'][number]['mode'];

interface ModeFieldProps {
  readonly now: string;
  readonly modes: ConsolePolicy['modes'];
  readonly value: Mode | undefined;
  readonly onChange: (mode: Mode | undefined) => void;
}

function ModeField({ now, modes, value, onChange }: ModeFieldProps) {
  return (
    <label class="field">
      <span>Mode of this project</span>
      <select value={value ?? ''} onChange={({ currentTarget }) => onChange(modes.find((one) => one.mode === currentTarget.value)?.mode)}>
        <option value="">{`Leave it (now ${now})`}</option>
        {modes.map((one) => (
          <option key={one.mode} value={one.mode}>
            {one.mode}
          </option>
        ))}
      </select>
    </label>
  );
}

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
        <ModeField now={now} modes={modes} value={mode} onChange={(one) => change(() => setMode(one))} />
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
      ) : (
        <ProposedChange proposal={proposal} busy={action.busy} onWrite={() => write(proposal.fingerprint)} onCancel={() => setProposal(undefined)} />
      )}
    </form>
  );
}
