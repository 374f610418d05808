import { formFields, type FormField, type FormValue } from '@synapse/hands/internal';
import type { FilledForm, PersonForm } from '@synapse/protocol';
import { fieldLines, formHeading, parseField } from './form-screen.ts';
import type { LineReader } from './line-reader.ts';
import { print, typed, type Terminal } from './terminal.ts';

/** The input that declines a form. A value that starts with this text needs an additional dot before it. */
const DECLINE = '.n';

/** Waits for a yes or a no. Undefined at the end of the input. @param declines another word for no */
async function isYes(terminal: Terminal, reader: LineReader, declines?: string): Promise<boolean | undefined> {
  for (;;) {
    const line = (await typed(terminal, reader))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (line === 'y' || line === 'yes') return true;
    if (line === 'n' || line === 'no' || line === declines) return false;
    terminal.err.write('It takes y or n.\n');
  }
}

/** The form after its last question. */
function answered(yes: boolean | undefined, content: Record<string, FormValue>): FilledForm {
  if (yes === undefined) return { action: 'cancel' };
  return yes ? { action: 'accept', content } : { action: 'decline' };
}

/** Asks for a field until its value is valid, or the form is cancelled or declined. */
async function askField(
  terminal: Terminal,
  reader: LineReader,
  field: FormField,
): Promise<{ readonly value: FormValue | undefined } | { readonly action: 'cancel' | 'decline' }> {
  print(terminal.err, fieldLines(field));
  for (;;) {
    const line = await typed(terminal, reader);
    if (line === undefined) return { action: 'cancel' };
    if (line.trim() === DECLINE) return { action: 'decline' };
    const read = parseField(field, line.startsWith(`.${DECLINE}`) ? line.slice(1) : line);
    if (!('problem' in read)) return read;
    terminal.err.write(`It takes ${read.problem}.\n`, 'yellow');
  }
}

/** Asks for the fields of a form one by one. Sends nothing before the last question, which shows all values. */
export async function fillIn(terminal: Terminal, reader: LineReader, form: PersonForm): Promise<FilledForm> {
  const { err } = terminal;
  const fields = formFields(form.schema);
  if (fields === undefined) return { action: 'cancel' };
  print(err, formHeading(form, fields));
  if (form.url !== undefined) {
    err.write('Open it in your browser yourself. y  I open it · n  no\n');
    return answered(await isYes(terminal, reader), {});
  }
  err.write(`${DECLINE} declines.\n`, 'dim');
  const given: Array<[string, FormValue]> = [];
  for (const field of fields) {
    const answer = await askField(terminal, reader, field);
    if ('action' in answer) return answer;
    if (answer.value !== undefined) given.push([field.name, answer.value]);
  }
  const content = Object.fromEntries(given);
  err.write(`Send this to ${form.server}? ${JSON.stringify(content)}\ny  send · n  decline\n`);
  return answered(await isYes(terminal, reader, DECLINE), content);
}
