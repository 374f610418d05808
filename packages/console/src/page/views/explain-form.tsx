import type { ConsoleExplanation } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { VerdictBadge } from '../parts/badge.tsx';
import { visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';

/** The main argument of a tool, used to explain a call. */
const MAIN: Readonly<Record<string, string>> = { run_command: 'command', fetch_url: 'url', search_text: 'pattern', find_files: 'pattern' };

function Explained({ explanation: { verdict, reason, rule, accesses, tried, outcome } }: { readonly explanation: ConsoleExplanation }) {
  const matched = tried.filter((one) => one.matched);
  return (
    <div class="card" role="status">
      <p>
        <VerdictBadge verdict={verdict} /> {visible(reason)}
      </p>
      <p class="muted">
        Decided by <code>{visible(rule.rule)}</code> {visible(`[${rule.origin}]`)}
        {` · ${visible(outcome)}`}
      </p>
      <ul class="plain-list">
        {accesses.map((one, index) => (
          <li key={index}>
            <VerdictBadge verdict={one.verdict} /> {visible(one.access)} <span class="muted">{visible(`${one.rule} [${one.origin}]`)}</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>{`${tried.length} rules tried, ${matched.length} matched`}</summary>
        <ul class="plain-list">
          {tried.map((one, index) => (
            <li key={index} class={one.matched ? '' : 'muted'}>
              {visible(`${one.verdict} ${one.rule} [${one.origin}] ${one.matched ? `matches ${one.access}` : 'does not match'}`)}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

/** Asks for the policy's decision about a call, without running it. */
export function ExplainForm() {
  const { value: tools } = useRequest('tools.list', {});
  const [tool, setTool] = useState('run_command');
  const [text, setText] = useState('');
  const [explanation, setExplanation] = useState<ConsoleExplanation>();
  const action = useAction();
  const ask = (event: SubmitEvent): void => {
    event.preventDefault();
    void action.run(async () => {
      const input = text.trimStart().startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { [MAIN[tool] ?? 'path']: text };
      setExplanation(await line.request('policy.explain', { tool, input }));
    });
  };
  return (
    <>
      <form class="actions" onSubmit={ask}>
        <label>
          <span class="visually-hidden">Tool</span>
          <select value={tool} onChange={({ currentTarget }) => setTool(currentTarget.value)}>
            {(tools ?? [{ name: 'run_command' }]).map(({ name }) => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
        <label class="grow">
          <span class="visually-hidden">Argument, or JSON</span>
          <input
            type="text"
            class="mono"
            placeholder="git push origin main"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button" disabled={action.busy}>
          Explain
        </button>
      </form>
      <Failure error={action.error} />
      {explanation !== undefined && <Explained explanation={explanation} />}
    </>
  );
}
