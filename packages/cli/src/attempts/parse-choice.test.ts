import { expect, it } from 'vitest';
import { parseChoice } from './parse-choice.ts';

it.each([
  ['2', 3, { does: 'apply', at: 1 }],
  [' D 3 ', 3, { does: 'show', at: 2 }],
  ['d1', 3, { does: 'show', at: 0 }],
  ['y', 1, { does: 'apply', at: 0 }],
  ['y', 2, { does: 'unclear' }],
  ['0', 3, { does: 'unclear' }],
  ['4', 3, { does: 'unclear' }],
  ['1.5', 3, { does: 'unclear' }],
  ['', 3, { does: 'nothing' }],
  ['No', 3, { does: 'nothing' }],
])('reads %o, of %o attempts', (answer, number, choice) => {
  expect(parseChoice(answer, number)).toEqual(choice);
});
