import { formFields, type FormValue } from '@synapse/hands/internal';
import type { FilledForm, PersonForm } from '@synapse/protocol';
import { fieldLines, formHeading, parseField } from './form-screen.ts';
import type { LineReader } from './line-reader.ts';
import { print, typed, type Terminal } from './terminal.ts';

/** The input that declines a form. A value that starts with this text needs an additional dot before it. */
const DECLINE = '.n';

/** A page to open: the person opens it and confirms. */
async function openPage(terminal: Terminal, reader: LineReader): Promise<FilledForm> {
  const { err } = terminal;
  err.write('Open it in your browser yourself. y  I open it · n  no\n');
  for (;;) {
    const line = (await typed(terminal, reader))?.trim().toLowerCase();
    if (line === undefined) return { action: 'cancel' };
    if (line === 'y' || line === 'yes') return { action: 'accept', content: {} };
    if (line === 'n' || line === 'no') return { action: 'decline' };
    err.write('It takes y or n.\n');
  }
}

/** Asks for the fields of a form one by one. Sends nothing before the last question, which shows all values. */
export async function fillIn(terminal: Terminal, reader: LineReader, form: PersonForm): Promise<FilledForm> {
  const { err } = terminal;
  const fields = formFields(form.schema);
  if (fields === undefined) return { action: 'cancel' };
  print(err, formHeading(form, fields));
  if (form.url !== undefined) return await openPage(terminal, reader);
  err.write(`${DECLINE} declines.\n`, 'dim');
  const content: Array<[string, FormValue]> = [];
  for (const field of fields) {
    print(err, fieldLines(field));
    for (;;) {
      const line = await typed(terminal, reader);
      if (line === undefined) return { action: 'cancel' };
      if (line.trim() === DECLINE) return { action: 'decline' };
      const read = parseField(field, line.startsWith(`.${DECLINE}`) ? line.slice(1) : line);
      if ('problem' in read) err.write(`It takes ${read.problem}.\n`, 'yellow');
      else {
        if (read.value !== undefined) content.push([field.name, read.value]);
        break;
      }
    }
  }
  err.write(`Send this to ${form.server}? ${JSON.stringify(Object.fromEntries(content))}\ny  send · n  decline\n`);
  for (;;) {
    const line = (await typed(terminal, reader))?.trim().toLowerCase();
    if (line === undefined) return { action: 'cancel' };
    if (line === 'y' || line === 'yes') return { action: 'accept', content: Object.fromEntries(content) };
    if (line === 'n' || line === 'no' || line === DECLINE) return { action: 'decline' };
    err.write('It takes y or n.\n');
  }
}
