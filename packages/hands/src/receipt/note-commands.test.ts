import { expect, it } from 'vitest';
import { noteCommands } from './note-commands.ts';

const COMMIT = 'a'.repeat(40);

it('makes one command of few receipts, and more of many', () => {
  expect(noteCommands(COMMIT, ['{"a":1}', '{"b":2}'])).toEqual([
    `git notes --ref=synapse add -f -F - ${COMMIT} <<'END-OF-RECEIPTS'\n{"a":1}\n{"b":2}\nEND-OF-RECEIPTS`,
  ]);
  const long = JSON.stringify({ text: 'x'.repeat(70_000) });
  const commands = noteCommands(COMMIT, [long, long, '{}']);
  expect(commands.map((command) => command.slice(0, 40).split(' ')[3])).toEqual(['add', 'append']);
  expect(commands.every((command) => Buffer.byteLength(command) < 128 * 1024)).toBe(true);
  expect(commands[1]).toContain(`${long}\n{}\nEND-OF-RECEIPTS`);
  expect(noteCommands(COMMIT, [])).toEqual([]);
});
