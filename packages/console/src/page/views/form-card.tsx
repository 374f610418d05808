import type { ConsoleForm, ConsoleParams } from '@synapse/protocol/console';
import { useMemo, useState } from 'preact/hooks';
import { FieldInput } from '../form/field-input.tsx';
import { contentOf, firstValues, formFieldsOf, type FormValues } from '../form/fields.ts';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { QuestionCard } from './question-card.tsx';

type Action = ConsoleParams<'forms.answer'>['action'];

/** A form of an MCP server: its message, its fields or the page to open, and the three answers. */
export function FormCard({ form, first }: { readonly form: ConsoleForm; readonly first: boolean }) {
  const { id, server, tool, message, warning, page } = form;
  const fields = useMemo(() => formFieldsOf(form), [id]);
  const [values, setValues] = useState<FormValues>(() => firstValues(form));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const { busy, error, run } = useAction();
  const idOf = (index: number): string => `form-${id}-${index}`;
  const answer = (action: Action): void =>
    void run(async () => {
      const content = action === 'accept' ? { content: contentOf(fields, values) } : {};
      const { message: done, problems: wrong = {} } = await line.request('forms.answer', { id, action, ...content });
      setProblems(wrong);
      const bad = fields.findIndex((field) => Object.hasOwn(wrong, field.name));
      if (bad !== -1) document.getElementById(idOf(bad))?.focus();
      return done === undefined ? undefined : { message: done };
    });
  const heading = page === undefined ? `The MCP server ${server} asks you` : `The MCP server ${server} wants you to open a page of ${page.host}`;
  return (
    <QuestionCard question={form} heading={heading} first={first} busy={busy} keys={{ n: () => answer('decline') }}>
      <p class="muted">For {visible(tool)}. The server gets your answer.</p>
      <blockquote class="said">
        {message.map((text, index) => (
          <p key={index}>{visible(text)}</p>
        ))}
      </blockquote>
      {warning !== undefined && <p class="note note-warn">{visible(warning)}</p>}
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          answer('accept');
        }}
      >
        {page !== undefined && <code class="note">{visible(page.url)}</code>}
        {fields.map((field, index) => (
          <FieldInput
            key={field.name}
            id={idOf(index)}
            field={field}
            value={values[field.name] ?? ''}
            problem={Object.hasOwn(problems, field.name) ? `It takes ${problems[field.name] ?? ''}.` : undefined}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        <Failure error={error} />
        <div class="actions">
          {page === undefined ? (
            <button type="submit" class="button primary" disabled={busy}>
              Send
            </button>
          ) : (
            <a
              class="button primary"
              href={page.url}
              target="_blank"
              rel="noopener noreferrer"
              onClick={(event) => (busy ? event.preventDefault() : answer('accept'))}
            >
              Open {page.host}
            </a>
          )}
          <button type="button" class="button danger" disabled={busy} onClick={() => answer('decline')}>
            Decline
          </button>
          <button type="button" class="button" disabled={busy} onClick={() => answer('cancel')}>
            Cancel
          </button>
        </div>
      </form>
    </QuestionCard>
  );
}
