import { expect, it } from 'vitest';
import { PROJECT_RESURRECTION } from './project-resurrection.ts';
import { protocolPrompt } from './protocol-prompt.ts';

it('has every step with its instruction and what it must bring, in order', () => {
  const text = protocolPrompt(PROJECT_RESURRECTION);
  const places = PROJECT_RESURRECTION.steps.flatMap(({ title, instruction, requiredOutput }) =>
    [title, instruction, requiredOutput].map((part) => text.indexOf(part)),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(text).toContain('Step 4 of 5: Read the development log (where there is something to do)');
});
