import { expect, it } from 'vitest';
import { consolePlace } from '../fixtures/console-place.ts';
import { fieldsOf } from '../page/form/fields.ts';

it('the form of every tool has every field', async () => {
  await using place = await consolePlace();
  await using hands = await place.hands();
  const tools = hands.tools('json-schema');
  expect(tools.length).toBeGreaterThan(10);
  for (const { name, inputSchema } of tools) {
    const fields = fieldsOf(inputSchema);
    expect(fields.map((field) => field.name).toSorted(), name).toEqual(Object.keys(Object(inputSchema['properties'])).toSorted());
    expect(
      fields.filter(({ required }) => required).map((field) => field.name),
      name,
    ).toEqual(inputSchema['required'] ?? []);
  }
});
