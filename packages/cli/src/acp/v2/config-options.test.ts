import { expect, it } from 'vitest';
import { configOptions, wantedMode } from './config-options.ts';

it('offers the modes that are allowed as one option', () => {
  expect(configOptions({ current: 'read-only', allowed: ['read-only', 'ask'] })).toEqual([
    {
      type: 'select',
      configId: 'mode',
      name: 'Mode',
      category: 'mode',
      currentValue: 'read-only',
      options: [
        { value: 'read-only', name: 'Read only', description: expect.any(String) as string },
        { value: 'ask', name: 'Ask', description: expect.any(String) as string },
      ],
    },
  ]);
});

it('reads the mode that is wanted', () => expect(wantedMode({ configId: 'mode', type: 'id', value: 'ask' })).toBe('ask'));

it.each([
  ['another option', { configId: 'model', type: 'id', value: 'ask' }, 'Option not found: model'],
  ['another type', { configId: 'mode', type: 'boolean', value: true }, 'takes the id of a value'],
  ['another value', { configId: 'mode', type: '_x', value: 7 }, 'takes the id of a value'],
] as const)('refuses %s', (_, request, message) => expect(() => wantedMode(request)).toThrow(message));
