import { expect, it } from 'vitest';
import { withoutHereDocuments } from './here-documents.ts';
import { isNoteCommand, noteCommands } from './note-commands.ts';

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

it('leaves out a line that is too long for a command', () => {
  const huge = JSON.stringify({ text: 'x'.repeat(130_000) });
  expect(noteCommands(COMMIT, ['passed', huge, '{}'])).toEqual(noteCommands(COMMIT, ['passed', '{}']));
  expect(noteCommands(COMMIT, [huge])).toEqual([]);
});

it('knows its own commands by their whole text, so that none hides behind their beginning', () => {
  const [own = ''] = noteCommands(COMMIT, ['{}']).map(withoutHereDocuments);
  expect(isNoteCommand(own)).toBe(true);
  const others = [
    'git notes --ref=synapse list; npm test',
    `${own}\nnpm test`,
    own.replace(COMMIT, `${COMMIT}; npm test`),
    own.replace('<<', '&& npm test <<'),
  ];
  expect(others.filter(isNoteCommand)).toEqual([]);
});
