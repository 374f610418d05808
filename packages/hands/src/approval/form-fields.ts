import * as z from 'zod';
import { displayText, isDeceptive } from '../workspace/byte-name.ts';
import { MAX_OPTIONS, MAX_TEXT, type FormField, type FormFieldKind, type FormOption } from './form-field.ts';
import { checkValue } from './form-values.ts';

/** Maximum number of fields of a form, and maximum lengths of their texts in characters. Longer titles are cut. */
const MAX_FIELDS = 30;
const MAX_NAME = 100;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 500;

/** Words in a name or title, and those that also count in a description, which may mention what it does not ask for. */
const SECRET_NAME = /secret|token|\bpass\b|\bcvv\b|\bcvc\b|\bpin\b|\bssn\b|\biban\b|\botp\b/iu;
const SECRET_WORDS = /pass(?:word|wd|phrase|code)|credential|(?:api|private|access|secret)[ _-]?key|card[ _-]?number/iu;

function soundsSecret(name: string, title: string, description = ''): boolean {
  const spaced = name.replaceAll(/(?<=[a-z])(?=[A-Z])|_/gu, ' ');
  return [spaced, title].some((text) => SECRET_NAME.test(text) || SECRET_WORDS.test(text)) || SECRET_WORDS.test(description);
}

const count = z.int().min(0).max(MAX_TEXT).optional().catch(undefined);
const bound = z.number().optional().catch(undefined);
const TITLED = z.array(z.looseObject({ const: z.string(), title: z.string().optional().catch(undefined) }));
const PROPERTY = z.looseObject({
  type: z.string(),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional().catch(undefined),
  minLength: count,
  maxLength: count,
  minimum: bound,
  maximum: bound,
  minItems: count,
  maxItems: count,
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional().catch(undefined),
  oneOf: TITLED.optional(),
  items: z.looseObject({ enum: z.array(z.string()).optional(), anyOf: TITLED.optional() }).optional(),
  default: z.unknown().optional(),
});
const SCHEMA = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), PROPERTY).default({}),
  required: z.array(z.string()).default([]),
});
type Property = z.output<typeof PROPERTY>;

const words = (text: string, most: number): string => displayText(text.replaceAll(/\s+/gu, ' ').slice(0, most).toWellFormed().trim());

/** @returns undefined if there are no or too many choices, or if a value is too long or has invisible characters */
function optionsOf(given: ReadonlyArray<{ readonly const: string; readonly title?: string | undefined }>): FormOption[] | undefined {
  if (given.length === 0 || given.length > MAX_OPTIONS) return undefined;
  if (given.some(({ const: value }) => value.length > MAX_TITLE || isDeceptive(value))) return undefined;
  return given.map(({ const: value, title = value }) => ({ value, label: words(title, MAX_TITLE) }));
}

const untitled = (values: readonly string[], titles: readonly string[] = []): Array<{ const: string; title?: string | undefined }> =>
  values.map((value, index) => ({ const: value, title: titles[index] }));

const choicesOf = (items: Property['items']): ReturnType<typeof optionsOf> => optionsOf(items?.anyOf ?? untitled(items?.enum ?? []));

function kindOf(property: Property): FormFieldKind | undefined {
  const { type, enum: values, enumNames, oneOf, items, minLength, maxLength, minimum, maximum, minItems, maxItems, format } = property;
  if (type === 'array') {
    const options = choicesOf(items);
    return options && { kind: 'choices', options, minItems, maxItems };
  }
  if (type === 'string' && (values !== undefined || oneOf !== undefined)) {
    const options = optionsOf(oneOf ?? untitled(values ?? [], enumNames));
    return options && { kind: 'choice', options, isOld: oneOf === undefined };
  }
  if (type === 'string') return { kind: 'text', format, minLength, maxLength };
  if (type === 'number' || type === 'integer') return { kind: 'number', integer: type === 'integer', minimum, maximum };
  return type === 'boolean' ? { kind: 'boolean' } : undefined;
}

function fieldOf(name: string, property: Property, required: boolean): FormField | undefined {
  if (name.length > MAX_NAME || name === '__proto__' || isDeceptive(name)) return undefined;
  const kind = kindOf(property);
  if (kind === undefined) return undefined;
  const { title = name, description } = property;
  const field = {
    ...kind,
    name,
    title: words(title, MAX_TITLE),
    description: description === undefined ? undefined : words(description, MAX_DESCRIPTION),
    required,
    default: undefined,
    secret: soundsSecret(name, title, description),
  };
  // A default that cannot be seen would be sent unseen.
  const isSeen = typeof property.default !== 'string' || !isDeceptive(property.default);
  const value = property.default === undefined || !isSeen ? undefined : checkValue(field, property.default);
  return value === undefined || 'problem' in value ? field : { ...field, default: value.value };
}

/** Parses the fields of an untrusted form; undefined if a person could not fill it in as intended. */
export function formFields(schema: unknown): FormField[] | undefined {
  const read = SCHEMA.safeParse(schema);
  if (!read.success) return undefined;
  const { properties, required } = read.data;
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS || required.some((name) => !Object.hasOwn(properties, name))) return undefined;
  const fields = entries.map(([name, property]) => fieldOf(name, property, required.includes(name)));
  const known = fields.filter((field) => field !== undefined);
  return known.length === fields.length ? known : undefined;
}

/** Returns a warning about fields that ask for secrets; undefined if there are none. */
export function secretsWarning(fields: readonly FormField[]): string | undefined {
  const secret = fields.filter((field) => field.secret).map(({ title }) => title);
  if (secret.length === 0) return undefined;
  return `This looks like a secret: ${secret.join(', ')}. Servers must not ask for secrets in a form; the server gets what you type.`;
}
