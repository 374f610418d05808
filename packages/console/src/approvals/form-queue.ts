import { randomUUID } from 'node:crypto';
import {
  checkContent,
  expectedValue,
  formFields,
  pageAddress,
  secretsWarning,
  visibleLines,
  visibleSpan,
  type FormField,
} from '@synapse/hands/internal';
import { SynapseError, type FilledForm, type PersonForm } from '@synapse/protocol';
import type { ConsoleForm, ConsoleFormField, ConsoleParams, ConsoleResult } from '@synapse/protocol/console';
import type { Asked } from './approval-view.ts';

/** Maximum number of waiting forms. Additional forms are cancelled. */
const MAX_FORMS = 50;
/** Maximum number of characters of each text of a form. */
const MAX_TEXT = 4_000;

function fieldView(field: FormField): ConsoleFormField {
  const { name, title, description, required, kind, default: value } = field;
  return {
    name,
    title,
    ...(description === undefined ? {} : { description }),
    required,
    kind: kind === 'number' && field.integer ? 'integer' : kind,
    options: 'options' in field ? field.options.map((option) => ({ ...option })) : [],
    expects: expectedValue(field),
    ...(value === undefined ? {} : { default: value }),
  };
}

/** Converts a form for the page. Its text is untrusted, so hidden characters are made visible and it cannot imitate the console. */
function formView({ server, tool, message, url }: PersonForm, fields: readonly FormField[], asked: Asked): ConsoleForm {
  const warning = secretsWarning(fields);
  return {
    kind: 'form',
    ...asked,
    server: visibleSpan(server.replaceAll('\n', '⏎')),
    tool: visibleSpan(tool),
    message: visibleLines(message),
    ...(warning === undefined ? {} : { warning }),
    ...(url === undefined ? {} : { page: { url, host: new URL(url).host } }),
    fields: fields.map(fieldView),
  };
}

/** Whether a form can be shown as it was meant. It may come from another process, which may not be Synapse. */
function isFaithful({ server, tool, message, url }: PersonForm, fields: readonly FormField[]): boolean {
  if ([server, tool, message].some((text) => text.length > MAX_TEXT)) return false;
  return url === undefined || (fields.length === 0 && pageAddress(url) === url);
}

interface Waiting {
  readonly view: ConsoleForm;
  readonly fields: readonly FormField[];
  readonly settle: (filled: FilledForm) => void;
}

/** Waiting forms of MCP servers. */
export class FormQueue {
  readonly #waiting = new Map<string, Waiting>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  list(): ConsoleForm[] {
    return Array.from(this.#waiting.values(), ({ view }) => view);
  }

  /** Shows a form and waits for the user's answer. */
  async show(form: PersonForm, origin: Pick<Asked, 'project' | 'from'>, signal: AbortSignal): Promise<FilledForm> {
    if (signal.aborted || this.#waiting.size >= MAX_FORMS) return { action: 'cancel' };
    const fields = formFields(form.schema);
    if (fields === undefined || !isFaithful(form, fields)) return { action: 'cancel' };
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<FilledForm>();
    const settle = (filled: FilledForm): void => {
      if (!this.#waiting.delete(id)) return;
      signal.removeEventListener('abort', onAbort);
      resolve(filled);
      this.#onChange();
    };
    const onAbort = (): void => settle({ action: 'cancel' });
    this.#waiting.set(id, { view: formView(form, fields, { ...origin, id, askedAt: Date.now() }), fields, settle });
    signal.addEventListener('abort', onAbort, { once: true });
    this.#onChange();
    return await promise;
  }

  /**
   * Answers a form. If a field is invalid, the form keeps waiting.
   *
   * @throws SynapseError `conflict` if the form was answered or withdrawn
   */
  answer({ id, action, content = {} }: ConsoleParams<'forms.answer'>): ConsoleResult<'forms.answer'> {
    const found = this.#waiting.get(id);
    if (found === undefined) {
      throw new SynapseError('conflict', 'This form was answered or withdrawn.', { hint: 'The list shows those that wait.' });
    }
    if (action !== 'accept') {
      found.settle({ action });
      return { message: action === 'decline' ? 'Declined.' : 'Cancelled.' };
    }
    const read = checkContent(found.fields, content);
    if ('problems' in read) return { problems: { ...read.problems } };
    found.settle({ action, content: read.content });
    return { message: found.view.page === undefined ? 'Sent.' : 'Accepted.' };
  }
}
