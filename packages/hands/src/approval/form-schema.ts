import type { FormField, FormOption } from './form-field.ts';

const valuesOf = (options: readonly FormOption[]): string[] => options.map(({ value }) => value);
const titled = (options: readonly FormOption[]): object[] => options.map(({ value, label }) => ({ const: value, title: label }));
const isPlain = (options: readonly FormOption[]): boolean => options.every(({ value, label }) => value === label);

function oneOf({ options, isOld }: Extract<FormField, { kind: 'choice' }>): object {
  if (isPlain(options)) return { enum: valuesOf(options) };
  return isOld ? { enum: valuesOf(options), enumNames: options.map(({ label }) => label) } : { oneOf: titled(options) };
}

function kindSchema(field: FormField): object {
  switch (field.kind) {
    case 'text':
      return { type: 'string', format: field.format, minLength: field.minLength, maxLength: field.maxLength };
    case 'number':
      return { type: field.integer ? 'integer' : 'number', minimum: field.minimum, maximum: field.maximum };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'string', ...oneOf(field) };
    case 'choices':
    default:
      return {
        type: 'array',
        minItems: field.minItems,
        maxItems: field.maxItems,
        items: isPlain(field.options) ? { type: 'string', enum: valuesOf(field.options) } : { anyOf: titled(field.options) },
      };
  }
}

function fieldSchema(field: FormField): Record<string, unknown> {
  const schema = { title: field.title, description: field.description, ...kindSchema(field), default: field.default };
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

/** Returns the fields as JSON Schema, with nothing in it that was not parsed. */
export function formSchema(fields: readonly FormField[]): {
  type: 'object';
  properties: Record<string, Record<string, unknown>>;
  required: string[];
} {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}
