import type { ConsoleForm, ConsoleFormContent, ConsoleFormField } from '@synapse/protocol/console';

/** A JSON Schema, as far as forms use it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The kind of input for a value. */
export type FieldKind = 'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'lines' | 'json';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description: string | undefined;
  /** A readable title, shown instead of the name. */
  readonly title?: string;
  /** A description of valid values. */
  readonly expects?: string;
  /** Whether it is on without a value. Only for a value that is on or off. */
  readonly switchedOn?: boolean;
  readonly choices: ReadonlyArray<{ readonly value: string; readonly label: string }>;
  /** The default value as text. */
  readonly fallback: string | undefined;
}

/** The entered values by field. Multiple choices are separated by newlines. */
export type FormValues = Readonly<Record<string, string>>;

/** Fields with multi-line text. */
const LONG = /^(?:content|patch|command|old_text|new_text|text|query)$/u;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Unwraps a nullable schema. */
function unwrapped(schema: Schema): Schema {
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(options)) return schema;
  const others = options.filter(isSchema).filter(({ type }) => type !== 'null');
  return others.length === 1 ? { ...schema, ...others[0] } : schema;
}

function kindOf(name: string, schema: Schema): FieldKind {
  if (Array.isArray(schema['enum'])) return 'choice';
  if (schema['type'] === 'string') return LONG.test(name) ? 'long' : 'text';
  if (schema['type'] === 'number' || schema['type'] === 'integer' || schema['type'] === 'boolean') return schema['type'];
  const { items } = schema;
  if (schema['type'] === 'array' && isSchema(items) && items['type'] === 'string' && !Array.isArray(items['enum'])) return 'lines';
  return 'json';
}

const unlabeled = (values: readonly unknown[]): Field['choices'] => values.map((value) => ({ value: String(value), label: String(value) }));

/** Returns the form fields for the input of a tool, required ones first. */
export function fieldsOf(schema: Schema): Field[] {
  const { properties, required } = schema;
  if (!isSchema(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(properties).map(([name, given]): Field => {
    const own = unwrapped(isSchema(given) ? given : {});
    const { description, enum: choices, default: fallback } = own;
    const kind = kindOf(name, own);
    return {
      name,
      kind,
      required: needed.has(name),
      ...(kind === 'boolean' && (typeof fallback === 'boolean' || !needed.has(name)) ? { switchedOn: fallback === true } : {}),
      description: typeof description === 'string' ? description : undefined,
      choices: kind === 'boolean' ? unlabeled([true, false]) : unlabeled(Array.isArray(choices) ? choices : []),
      fallback: fallback === undefined ? undefined : typeof fallback === 'string' ? fallback : JSON.stringify(fallback),
    };
  });
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** `Number` would read an empty text as zero. */
const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

const READERS: Readonly<Record<FieldKind, (text: string) => unknown>> = {
  text: (text) => text,
  long: (text) => text,
  choice: (text) => text,
  choices: (text) => text.split('\n').filter((line) => line !== ''),
  number: numberIn,
  integer: numberIn,
  boolean: (text) => text === 'true',
  lines: (text) => text.split('\n').filter((line) => line !== ''),
  json: (text) => JSON.parse(text) as unknown,
};

/**
 * Converts form values to the input of a tool. Empty fields are omitted, so that their defaults apply.
 *
 * @returns the input, or errors by field
 */
export function inputOf(
  fields: readonly Field[],
  values: FormValues,
): { readonly input: Record<string, unknown> } | { readonly problems: Readonly<Record<string, string>> } {
  const input: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const { name, kind, required } of fields) {
    const text = values[name];
    if (text === undefined || (text === '' && !(required && (kind === 'text' || kind === 'long')))) {
      if (required) problems[name] = 'This is needed.';
      continue;
    }
    try {
      const value = READERS[kind](text);
      if (typeof value === 'number' && !Number.isFinite(value)) problems[name] = 'This has to be a number.';
      else if (kind === 'integer' && !Number.isInteger(value)) problems[name] = 'This has to be a whole number.';
      else input[name] = value;
    } catch {
      problems[name] = 'This has to be JSON.';
    }
  }
  return Object.keys(problems).length > 0 ? { problems } : { input };
}

const YES_OR_NO: Field['choices'] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

function fieldOf({ name, title, kind, required, description, options, expects, default: value }: ConsoleFormField): Field {
  const labels = new Map((kind === 'boolean' ? YES_OR_NO : options).map((option) => [option.value, option.label]));
  return {
    name,
    title,
    expects,
    kind,
    required,
    description,
    choices: kind === 'boolean' ? YES_OR_NO : options,
    fallback: value === undefined || Array.isArray(value) ? undefined : (labels.get(String(value)) ?? String(value)),
  };
}

/** Returns the fields of a form of an MCP server. */
export function formFieldsOf({ fields }: ConsoleForm): Field[] {
  return fields.map(fieldOf);
}

/** Returns the initial values: defaults of multiple choices are preselected, so that each can be deselected. */
export function firstValues({ fields }: ConsoleForm): FormValues {
  return Object.fromEntries(fields.flatMap(({ name, default: value }) => (Array.isArray(value) ? [[name, value.join('\n')]] : [])));
}

/** Converts form values for the server; the console validates them. An invalid number stays text. */
export function contentOf(fields: readonly Field[], values: FormValues): ConsoleFormContent {
  const content: ConsoleFormContent = {};
  for (const { name, kind } of fields) {
    const text = values[name];
    if (text === undefined || (text === '' && kind !== 'choices')) continue;
    if (kind === 'choices') content[name] = text.split('\n').filter((line) => line !== '');
    else if (kind === 'boolean') content[name] = text === 'true';
    else if (kind === 'number' || kind === 'integer') content[name] = Number.isFinite(numberIn(text)) ? numberIn(text) : text;
    else content[name] = text;
  }
  return content;
}
