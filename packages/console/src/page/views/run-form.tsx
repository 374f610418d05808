import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { goToAnswer } from '../link/route.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { askedOf, ModelFields, NO_MODEL } from './model-fields.tsx';

const TASK = '';
const OFFLINE = 'offline';

/** A form that selects the protocol or task to run, and the brain. */
export function RunForm() {
  const { value, error } = useRequest('runs.protocols', {});
  const [protocol, setProtocol] = useState<string>('project-resurrection');
  const [task, setTask] = useState('');
  const [brain, setBrain] = useState(OFFLINE);
  const [named, setNamed] = useState(NO_MODEL);
  const action = useAction();
  const chosen = value?.protocols.find(({ id }) => id === protocol);
  const mayOffline = chosen?.offline === true;
  const byModel = brain !== OFFLINE || !mayOffline;
  const start = (event: SubmitEvent): void => {
    event.preventDefault();
    const asked = {
      ...(protocol === TASK ? { task } : { protocol }),
      ...(byModel ? askedOf(named) : {}),
    };
    void action.run(() => goToAnswer('runs', line.request('runs.start', asked)));
  };
  return (
    <form class="form card" onSubmit={start}>
      <h2>New run</h2>
      <label class="field">
        <span>What to do</span>
        <select value={protocol} onChange={({ currentTarget }) => setProtocol(currentTarget.value)}>
          {value?.protocols.map(({ id, title, steps }) => (
            <option key={id} value={id}>
              {visible(`${title} (${steps} steps)`)}
            </option>
          ))}
          <option value={TASK}>A task of your own</option>
        </select>
      </label>
      {chosen !== undefined && <p class="muted">{visible(chosen.description)}</p>}
      {protocol === TASK && (
        <label class="field">
          <span>Task</span>
          <textarea rows={3} value={task} required onInput={({ currentTarget }) => setTask(currentTarget.value)} />
        </label>
      )}
      {mayOffline && (
        <label class="field">
          <span>Brain</span>
          <select value={brain} onChange={({ currentTarget }) => setBrain(currentTarget.value)}>
            <option value={OFFLINE}>Built in, offline</option>
            <option value="model">A model</option>
          </select>
        </label>
      )}
      {byModel && <ModelFields named={named} known={value?.models ?? []} onChange={(part) => setNamed((before) => ({ ...before, ...part }))} />}
      {value?.problem?.split('\n').map((text) => (
        <p key={text} class="note note-bad">
          {visible(text)}
        </p>
      ))}
      <Failure error={action.error ?? error} />
      <button type="submit" class="button primary" disabled={action.busy}>
        Start
      </button>
    </form>
  );
}
