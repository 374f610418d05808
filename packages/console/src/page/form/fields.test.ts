import { expect, it } from 'vitest';
import type { ConsoleForm } from '@synapse/protocol/console';
import { contentOf, fieldsOf, firstValues, formFieldsOf, inputOf } from './fields.ts';

const schema = {
  type: 'object',
  required: ['path'],
  properties: {
    limit: { type: 'integer', default: 100 },
    path: { type: 'string', description: 'Where' },
    deep: { type: 'boolean' },
    mode: { enum: ['a', 'b'] },
    names: { type: 'array', items: { type: 'string' } },
    edits: { type: 'array', items: { type: 'object' } },
    maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  },
};
const fields = fieldsOf(schema);

it('makes a field of each property, what is needed first', () => {
  expect(fields.map(({ name, kind }) => `${name}:${kind}`)).toEqual([
    'path:text',
    'limit:integer',
    'deep:boolean',
    'mode:choice',
    'names:lines',
    'edits:json',
    'maybe:number',
  ]);
});

it.each([
  [{ path: 'a' }, { input: { path: 'a' } }],
  [{ path: '' }, { input: { path: '' } }],
  [
    { path: 'a', limit: '3', deep: 'true', mode: 'b', names: 'x\ny\n', edits: '[{"a":1}]', maybe: '1.5' },
    { input: { path: 'a', limit: 3, deep: true, mode: 'b', names: ['x', 'y'], edits: [{ a: 1 }], maybe: 1.5 } },
  ],
  [{}, { problems: { path: 'This is needed.' } }],
  [{ path: 'a', limit: ' ' }, { problems: { limit: 'This has to be a number.' } }],
  [
    { path: 'a', limit: '1.5', edits: '{', maybe: 'x' },
    { problems: { limit: 'This has to be a whole number.', edits: 'This has to be JSON.', maybe: 'This has to be a number.' } },
  ],
])('%j', (values, expected) => {
  expect(inputOf(fields, values as unknown as Record<string, string>)).toEqual(expected);
});

it('reads a form of an MCP server: what is empty is left to its default, and choices start with theirs', () => {
  const field = (name: string, kind: ConsoleForm['fields'][number]['kind'], more: object = {}): ConsoleForm['fields'][number] => ({
    name,
    title: name.toUpperCase(),
    required: false,
    kind,
    options: [],
    expects: '',
    ...more,
  });
  const days = [
    { value: 'mo', label: 'Monday' },
    { value: 'tu', label: 'Tuesday' },
  ];
  const form: ConsoleForm = {
    kind: 'form',
    id: '1',
    askedAt: 0,
    tool: 't',
    project: '/p',
    from: 'console',
    server: 's',
    message: [],
    fields: [
      field('name', 'text', { default: 'Ada' }),
      field('age', 'integer'),
      field('gift', 'boolean', { default: true }),
      field('day', 'choice', { options: days, default: 'tu' }),
      field('days', 'choices', { options: days, default: ['mo'] }),
    ],
  };
  const read = formFieldsOf(form);
  expect(read.map(({ name, fallback }) => [name, fallback])).toEqual([
    ['name', 'Ada'],
    ['age', undefined],
    ['gift', 'Yes'],
    ['day', 'Tuesday'],
    ['days', undefined],
  ]);
  const first = firstValues(form);
  expect(contentOf(read, first)).toEqual({ days: ['mo'] });
  expect(contentOf(read, { ...first, name: '', age: '7', gift: 'false', day: 'mo', days: '' })).toEqual({ age: 7, gift: false, day: 'mo', days: [] });
  expect(contentOf(read, { age: 'many' })).toEqual({ age: 'many' });
  expect(contentOf(read, { age: ' ' })).toEqual({ age: ' ' });
});
