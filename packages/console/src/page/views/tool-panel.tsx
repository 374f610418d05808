import type { ConsoleTool, ConsoleToolResult } from '@synapse/protocol/console';
import { useMemo, useState } from 'preact/hooks';
import { FieldInput } from '../form/field-input.tsx';
import { fieldsOf, inputOf, type Field, type FormValues } from '../form/fields.ts';
import { line } from '../link/line.ts';
import { hrefOf } from '../link/places.ts';
import { useAction } from '../parts/use-action.ts';
import { count, visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { Panel } from '../parts/panel.tsx';
import { useStore } from '../state/store.ts';
import { ToolResult } from './tool-result.tsx';

/** Number of optional fields that are shown at once. */
const SHOWN = 2;

/** Separates the fields that most calls need from the others, which are folded. */
function split(fields: readonly Field[]): [main: readonly Field[], rare: readonly Field[]] {
  const needed = fields.filter(({ required }) => required).length;
  const shown = fields.length - needed <= SHOWN ? fields.length : Math.max(needed, SHOWN);
  return [fields.slice(0, shown), fields.slice(shown)];
}

/** A form for the input of a tool, and the result. */
export function ToolPanel({ tool }: { readonly tool: ConsoleTool }) {
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool]);
  const [values, setValues] = useState<FormValues>({});
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [result, setResult] = useState<ConsoleToolResult>();
  const [running, setRunning] = useState<AbortController>();
  const waits = useStore((state) => state.approvals.length > 0);
  const action = useAction();
  const call = (dryRun: boolean): void => {
    const read = inputOf(fields, values);
    setProblems('problems' in read ? read.problems : {});
    if ('problems' in read) {
      document.getElementById(`field-${Object.keys(read.problems)[0]}`)?.focus();
      return;
    }
    const controller = new AbortController();
    setRunning(controller);
    setResult(undefined);
    void action.run(async () => {
      try {
        setResult(await line.request('tools.call', { tool: tool.name, input: read.input, dryRun }, controller.signal));
      } finally {
        setRunning(undefined);
      }
    });
  };
  const [main, rare] = split(fields);
  const input = (field: Field) => (
    <FieldInput
      key={field.name}
      id={`field-${field.name}`}
      field={field}
      value={values[field.name] ?? ''}
      problem={problems[field.name]}
      onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
    />
  );
  return (
    <Panel label="Tool" view="tools" id={tool.name} title={visible(tool.name)}>
      <p>{visible(tool.description)}</p>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          call(false);
        }}
      >
        {main.map(input)}
        {rare.length > 0 && (
          <details class="rare" open={rare.some(({ name }) => problems[name] !== undefined)}>
            <summary>{count(rare.length, 'more option')}</summary>
            <div class="form">{rare.map(input)}</div>
          </details>
        )}
        <div class="actions">
          <button type="submit" class="button primary" disabled={action.busy}>
            Run
          </button>
          <button type="button" class="button" disabled={action.busy} onClick={() => call(true)}>
            Dry run
          </button>
          {running !== undefined && (
            <button type="button" class="button" onClick={() => running.abort()}>
              Cancel
            </button>
          )}
        </div>
      </form>
      {running !== undefined && waits && (
        <p class="note note-warn">
          A question waits for you: <a href={hrefOf('approvals')}>answer it</a>.
        </p>
      )}
      <Failure error={action.error} />
      {result !== undefined && <ToolResult result={result} />}
    </Panel>
  );
}
