import * as z from 'zod';
import { MAX_OPTIONS, MAX_TEXT, type FormField, type FormValue } from './form-field.ts';

/** The text formats of MCP, with their descriptions. */
const FORMATS: ReadonlyMap<string | undefined, readonly [z.ZodType<string>, string]> = new Map<
  string | undefined,
  readonly [z.ZodType<string>, string]
>([
  ['email', [z.email(), 'an email address']],
  ['uri', [z.url(), 'an address, such as https://example.com']],
  ['date', [z.iso.date(), 'a date, such as 2026-01-31']],
  ['date-time', [z.iso.datetime({ offset: true }), 'a time, such as 2026-01-31T12:00:00Z']],
]);

function range(least: number | undefined, most: number | undefined): string | undefined {
  if (least === undefined) return most === undefined ? undefined : `at most ${most}`;
  return most === undefined ? `at least ${least}` : `${least} to ${most}`;
}

/** Describes what a field accepts. */
export function expectedValue(field: FormField): string {
  switch (field.kind) {
    case 'text': {
      const length = range(field.minLength, field.maxLength);
      return `${FORMATS.get(field.format)?.[1] ?? 'a text'}${length === undefined ? '' : ` of ${length} characters`}`;
    }
    case 'number': {
      const bounds = range(field.minimum, field.maximum);
      return `a ${field.integer ? 'whole ' : ''}number${bounds === undefined ? '' : `, ${bounds}`}`;
    }
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return 'one of the choices';
    case 'choices':
    default:
      return `${range(field.minItems, field.maxItems) ?? 'any'} of the choices`;
  }
}

type FieldOf<K extends FormField['kind']> = Extract<FormField, { readonly kind: K }>;

function textOf({ minLength = 0, maxLength = MAX_TEXT, format }: FieldOf<'text'>, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < minLength || value.length > maxLength) return undefined;
  return FORMATS.get(format)?.[0].safeParse(value).success === false ? undefined : value;
}

function numberOf(field: FieldOf<'number'>, value: unknown): number | undefined {
  const { integer, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < minimum || value > maximum) return undefined;
  return integer && !Number.isInteger(value) ? undefined : value;
}

function choicesOf({ minItems = 0, maxItems = MAX_OPTIONS, options }: FieldOf<'choices'>, value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const chosen: unknown[] = value;
  const found = options.filter((option) => chosen.includes(option.value)).map((option) => option.value);
  return found.length === new Set(chosen).size && found.length >= minItems && found.length <= maxItems ? found : undefined;
}

function valueOf(field: FormField, value: unknown): FormValue | undefined {
  switch (field.kind) {
    case 'text':
      return textOf(field, value);
    case 'number':
      return numberOf(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'choice':
      return field.options.find((option) => option.value === value)?.value;
    case 'choices':
    default:
      return choicesOf(field, value);
  }
}

/** Returns the value of a field, or a description of what the field accepts instead. */
export function checkValue(field: FormField, value: unknown): { readonly value: FormValue } | { readonly problem: string } {
  const checked = valueOf(field, value);
  return checked === undefined ? { problem: expectedValue(field) } : { value: checked };
}

/** Checks the content of a form for its server: known fields with valid values. Otherwise returns what wrong fields accept, by name. */
export function checkContent(
  fields: readonly FormField[],
  content: Readonly<Record<string, unknown>>,
): { readonly content: Record<string, FormValue> } | { readonly problems: Readonly<Record<string, string>> } {
  const checked: Array<[string, FormValue]> = [];
  const problems: Array<[string, string]> = [];
  for (const field of fields) {
    const given = Object.hasOwn(content, field.name) ? content[field.name] : field.default;
    if (given === undefined && !field.required) continue;
    const value = checkValue(field, given);
    if ('problem' in value) problems.push([field.name, value.problem]);
    else checked.push([field.name, value.value]);
  }
  return problems.length > 0 ? { problems: Object.fromEntries(problems) } : { content: Object.fromEntries(checked) };
}
