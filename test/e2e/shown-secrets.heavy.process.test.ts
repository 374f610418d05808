import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, runCli, runCliProcess } from './run-cli.ts';
import { onTerminal } from './talk.ts';

// Nothing but the store tells that this is one.
const VALUE = 'correct-horse-battery';
const MASK = '*'.repeat(VALUE.length);

it('takes a secret out of what commands show of records and of the past, but not out of a file', async () => {
  const before = `key: ${VALUE}\n`;
  const place = await makePlace({ 'a.txt': before });
  // Before it was a secret: the records have it.
  const edit = { path: 'a.txt', edits: [{ old_text: 'key', new_text: `other ${VALUE}` }] };
  const { out } = await runCli(place, ['call', 'edit_file', JSON.stringify(edit), '--yes', '--json']);
  const { callId } = (JSON.parse(out) as { meta: { callId: string } }).meta;
  expect((await runCli(place, ['log', '--json'])).out).toContain(VALUE);
  await runCliProcess(place, ['secrets', 'add', 'A_KEY', '--host', 'a.example.com'], VALUE);

  const shown = [
    ['log', '--json'],
    ['changes'],
    ['changes', '--json'],
    ['blame', 'a.txt'],
    ['blame', 'a.txt', '--json'],
    ['at', callId, 'a.txt', '--json'],
    ['at', callId, '--diff'],
    ['policy', 'explain', 'run_command', JSON.stringify({ command: `echo ${VALUE}` })],
    ['policy', 'explain', 'run_command', JSON.stringify({ command: `echo ${VALUE}` }), '--json'],
  ];
  for (const words of shown) {
    const { code, out: text } = await runCli(place, words);
    expect([words.join(' '), code, text.includes(MASK), text.includes(VALUE)]).toEqual([words.join(' '), 0, true, false]);
    if (words.includes('--json')) JSON.parse(text);
  }
  // A file is what it was, where it can become one again.
  expect((await runCli(place, ['at', callId, 'a.txt'])).out).toBe(before);
  expect((await onTerminal(place, ['at', callId, 'a.txt'], [])).screen).toContain(`key: ${MASK}`);
  expect((await runCli(place, ['undo', '--yes'])).code).toBe(0);
  expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe(before);
});

it('takes a secret out of a question at the terminal', async () => {
  const place = await makePlace({ 'a.txt': `key: ${VALUE}\n` });
  await runCliProcess(place, ['secrets', 'add', 'A_KEY', '--host', 'a.example.com'], VALUE);
  const edit = { path: 'a.txt', edits: [{ old_text: `key: ${VALUE}`, new_text: `other: ${VALUE}` }] };
  const { screen } = await onTerminal(place, ['call', 'edit_file', JSON.stringify(edit)], [['[', 'n']]);
  expect(screen).toContain(`- key: ${MASK}`);
  expect(screen).not.toContain(VALUE);
});
