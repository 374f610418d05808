import type { ConsoleRun } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { Failure } from '../parts/note.tsx';
import { useAction } from '../parts/use-action.ts';

/** Says something to the model of a run: before its next turn, or as the next task. */
export function SayBox({ run: { id, status } }: { readonly run: ConsoleRun }) {
  const [text, setText] = useState('');
  const action = useAction();
  const isOn = status === 'running' || status === 'held';
  const say = (): void => {
    if (text.trim() === '') return;
    void action.run(async () => {
      await line.request('runs.say', { id, text });
      setText('');
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    say();
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
    >
      <Failure error={action.error} />
      <label class="visually-hidden" for="say">
        Message to the model
      </label>
      <div class="say-row">
        <textarea
          id="say"
          rows={2}
          value={text}
          placeholder={isOn ? 'Say something: the model reads it before its next turn' : 'Say what to do next'}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="button primary" disabled={action.busy || text.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  );
}
