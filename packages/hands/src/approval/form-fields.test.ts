import { describe, expect, it } from 'vitest';
import { formFields, secretsWarning } from './form-fields.ts';
import { formSchema } from './form-schema.ts';
import { checkContent } from './form-values.ts';

const schema = (properties: object, required: string[] = []): object => ({ type: 'object', properties, required });

describe('fields of a form', () => {
  it('are those that the protocol has, and are written as they were read', () => {
    const given = schema(
      {
        name: { type: 'string', title: 'Name', minLength: 2, maxLength: 9, default: 'Ada' },
        mail: { type: 'string', title: 'mail', format: 'email' },
        age: { type: 'integer', title: 'age', minimum: 1, maximum: 99 },
        size: { type: 'number', title: 'size', default: 1.5 },
        sure: { type: 'boolean', title: 'sure', description: 'Are you?', default: false },
        color: { type: 'string', title: 'color', enum: ['red', 'blue'], default: 'blue' },
        fruit: { type: 'string', title: 'fruit', oneOf: [{ const: 'a', title: 'Apple' }] },
        old: { type: 'string', title: 'old', enum: ['a', 'b'], enumNames: ['Apple', 'Bean'] },
        days: { type: 'array', title: 'days', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['mo', 'tu'] }, default: ['mo'] },
        pets: { type: 'array', title: 'pets', items: { anyOf: [{ const: 'c', title: 'Cat' }] } },
      },
      ['age'],
    );
    const fields = formFields(given);
    expect(formSchema(fields ?? [])).toEqual(given);
  });

  it('lose what could act, hide, or never end', () => {
    const fields = formFields(
      schema({ a: { type: 'string', title: 'x\u001B[2J\ny', description: 'd'.repeat(9_000), pattern: '(a+)+$', default: 7, evil: { deep: [] } } }),
    );
    const written = formSchema(fields ?? []);
    expect(written.properties['a']).toEqual({ type: 'string', title: 'x\\x1b[2J y', description: 'd'.repeat(500) });
  });

  it.each([
    ['no object', { type: 'string' }],
    ['a field of a kind that there is not', schema({ a: { type: 'object' } })],
    ['a field without a kind', schema({ a: {} })],
    ['a name that cannot be seen', schema({ 'a\u202E': { type: 'string' } })],
    ['a choice that cannot be seen', schema({ a: { type: 'string', enum: ['x', 'x\u200B'] } })],
    ['no choice', schema({ a: { type: 'string', enum: [] } })],
    ['too many choices', schema({ a: { type: 'string', enum: Array.from({ length: 101 }, (_, index) => `${index}`) } })],
    ['too many fields', schema(Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`f${index}`, { type: 'boolean' }])))],
    ['a field that is wanted and not there', schema({}, ['a'])],
    ['nothing', undefined],
  ])('are none for %s', (_, given) => {
    expect(formFields(given)).toBeUndefined();
  });

  it.each<[string, object, boolean]>([
    ['password', { type: 'string' }, true],
    ['apiKey', { type: 'string' }, true],
    ['github_token', { type: 'string' }, true],
    ['a', { type: 'string', title: 'Your PIN' }, true],
    ['a', { type: 'string', description: 'The private key of the server' }, true],
    ['pinned', { type: 'boolean' }, false],
    ['compass', { type: 'string' }, false],
    ['a', { type: 'integer', description: 'A number; never your pin' }, false],
  ])('%s %j looks like a secret: %s', (name, property, isSecret) => {
    expect(secretsWarning(formFields(schema({ [name]: property })) ?? []) !== undefined).toBe(isSecret);
  });
});

describe('what a form holds', () => {
  const fields = formFields(
    schema(
      {
        name: { type: 'string', maxLength: 3 },
        age: { type: 'integer', maximum: 9, default: 5 },
        old: { type: 'string', title: 'old', enum: ['a', 'b'], enumNames: ['Apple', 'Bean'] },
        days: { type: 'array', items: { enum: ['mo', 'tu'] } },
        mail: { type: 'string', format: 'email' },
        day: { type: 'string', format: 'date' },
        page: { type: 'string', format: 'uri' },
        at: { type: 'string', format: 'date-time' },
      },
      ['name'],
    ),
  );
  it.each<[object, object]>([
    [{ name: 'Ada' }, { name: 'Ada', age: 5 }],
    [
      { name: 'Ada', age: 7, days: ['tu', 'mo'] },
      { name: 'Ada', age: 7, days: ['mo', 'tu'] },
    ],
    [
      { name: 'Ada', stranger: 'x' },
      { name: 'Ada', age: 5 },
    ],
    [
      { name: 'Ada', mail: 'a@b.example', day: '2026-01-31' },
      { name: 'Ada', mail: 'a@b.example', day: '2026-01-31', age: 5 },
    ],
    [JSON.parse('{"name":"Ada","__proto__":{"x":1}}') as object, { name: 'Ada', age: 5 }],
  ])('%j becomes %j', (content, told) => {
    expect(checkContent(fields ?? [], { ...content })).toEqual({ content: told });
  });

  it.each<[object, object]>([
    [{}, { name: 'a text of at most 3 characters' }],
    [
      { name: 'Adam', age: 10 },
      { name: 'a text of at most 3 characters', age: 'a whole number, at most 9' },
    ],
    [{ name: 7 }, { name: 'a text of at most 3 characters' }],
    [{ name: 'Ada', age: 1.5 }, { age: 'a whole number, at most 9' }],
    [{ name: 'Ada', old: 'c' }, { old: 'one of the choices' }],
    [{ name: 'Ada', days: ['we'] }, { days: 'any of the choices' }],
    [{ name: 'Ada', days: 'mo' }, { days: 'any of the choices' }],
    [{ name: 'Ada', mail: 'ada' }, { mail: 'an email address' }],
    [{ name: 'Ada', day: '31.1.2026' }, { day: 'a date, such as 2026-01-31' }],
    [{ name: 'Ada', page: 'example' }, { page: 'an address, such as https://example.com' }],
    [{ name: 'Ada', at: 'noon' }, { at: 'a time, such as 2026-01-31T12:00:00Z' }],
  ])('%j lacks %j', (content, problems) => {
    expect(checkContent(fields ?? [], { ...content })).toEqual({ problems });
  });
});
