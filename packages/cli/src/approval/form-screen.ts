import { checkValue, secretsWarning, visibleLines, type FormField, type FormValue } from '@synapse/hands/internal';
import type { PersonForm } from '@synapse/protocol';
import type { ScreenLine } from './question-screen.ts';

const plain = (text: string): ScreenLine => ({ text });

/** The heading of a form: the server's name, then the server's text with a mark before each line, so that it cannot imitate ours. */
export function formHeading({ server, tool, message, url }: PersonForm, fields: readonly FormField[]): ScreenLine[] {
  const asks = url === undefined ? 'asks you' : `wants you to open a page of ${new URL(url).host}`;
  const warning = secretsWarning(fields);
  return [
    { text: `The MCP server ${server} ${asks} (for ${tool}):`, style: 'bold' },
    ...visibleLines(message).map((line) => plain(`  > ${line}`)),
    ...(warning === undefined ? [] : [{ text: warning, style: 'yellow' } as const]),
    ...(url === undefined ? [] : [plain(`  ${url}`)]),
  ];
}

/** What a person can type for a field. */
function expected(field: FormField): string {
  switch (field.kind) {
    case 'text':
      return field.format === undefined ? 'text' : field.format;
    case 'number':
      return field.integer ? 'whole number' : 'number';
    case 'boolean':
      return 'y or n';
    case 'choice':
      return 'a number';
    case 'choices':
    default:
      return 'numbers, such as 1,3';
  }
}

/** One field, with its choices. */
export function fieldLines(field: FormField): ScreenLine[] {
  const { title, description, required, default: value } = field;
  const notes = [expected(field), ...(required ? ['required'] : []), ...(value === undefined ? [] : [`Enter for ${JSON.stringify(value)}`])];
  return [
    plain(`${title} (${notes.join(' · ')})`),
    ...(description === undefined ? [] : [{ text: `  ${description}`, style: 'dim' } as const]),
    ...('options' in field ? field.options.map(({ label }, index) => plain(`  ${index + 1}  ${label}`)) : []),
  ];
}

const YES_OR_NO: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false };

function typedValue(field: FormField, text: string): unknown {
  const chosen = (words: readonly string[]): Array<string | undefined> =>
    'options' in field ? words.map((word) => field.options[Number(word) - 1]?.value ?? field.options.find(({ value }) => value === word)?.value) : [];
  switch (field.kind) {
    case 'text':
      return text;
    case 'number':
      return text.trim() === '' ? undefined : Number(text);
    case 'boolean':
      return YES_OR_NO[text.trim().toLowerCase()];
    case 'choice':
      return chosen([text.trim()])[0];
    case 'choices':
    default:
      return chosen(text.split(/[,\s]+/u).filter((word) => word !== ''));
  }
}

/** Parses the value of a field. An empty line means the default, or no value if the field is optional. */
export function parseField(field: FormField, line: string): { readonly value: FormValue | undefined } | { readonly problem: string } {
  if (line.trim() === '') return field.default === undefined && field.required ? { problem: 'a value' } : { value: field.default };
  return checkValue(field, typedValue(field, line));
}
