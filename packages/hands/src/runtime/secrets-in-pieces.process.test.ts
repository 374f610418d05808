import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { SandboxChoice } from '../sandbox/sandbox-choices.ts';
import { SecretStore } from '../secrets/secret-store.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const VALUE = 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567';

const stateOf = ({ folder }: TemporaryHands): string => join(dirname(folder), 'state');

async function open(files: Readonly<Record<string, string>>, sandbox: SandboxChoice = 'auto'): Promise<TemporaryHands> {
  const bench = await temporaryHands(files, { allow: ['exec', 'write'], sandbox });
  const place = { scheme: 'https', host: 'api.example', port: 443, as: { kind: 'bearer' } } as const;
  await new SecretStore(stateOf(bench)).add({ name: 'TOKEN', also: [], texts: {}, places: [place], value: VALUE, added: '2026-01-01' });
  return bench;
}

/** The text of all files in a folder. */
const textIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

it.each([
  ['_Zq', 'auto'],
  ['FgHj', 'auto'],
  ['567', 'auto'],
  ['567', 'none'],
] as const)('a value in which %s is colored is not shown while the command runs, nor stored (sandbox: %s)', async (part, sandbox) => {
  await using bench = await open({ env: `TOKEN=${VALUE}\n`.repeat(5_000) }, sandbox);
  let live = '';
  bench.hands.subscribe((event) => {
    if (event.type === 'call-progress' && event.output !== undefined) live += event.output;
  });
  const result = await bench.hands.call('run_command', { command: `grep --color=always ${part} env` });
  expect(result.ok && result.output).toContain('TOKEN=*');
  expect(live).toContain('TOKEN=*');
  expect(live).not.toContain(VALUE);
  expect(textIn(join(stateOf(bench), 'spills'))).not.toContain(VALUE);
});

it.each<[string, string, Record<string, unknown>, string]>([
  ['search_text', `needle${'-'.repeat(457)}${VALUE}${'y'.repeat(500)}\n`, { pattern: 'needle', path: 'a' }, 'needle'],
  ['read_file', `${'-'.repeat(1_970)}${VALUE}${'y'.repeat(500)}\n`, { path: 'a' }, '----'],
  [
    'edit_file',
    `alpha one two three ${'q'.repeat(103)}${VALUE}${'z'.repeat(600)}\nbeta\n`,
    { path: 'a', edits: [{ old_text: `alpha one two thre ${'q'.repeat(103)}`, new_text: 'x' }] },
    'alpha',
  ],
])('a line that %s cuts in the middle of a value shows only its prefix', async (tool, text, input, seen) => {
  await using bench = await open({ a: text });
  const shown = JSON.stringify(await bench.hands.call(tool, input));
  expect(shown).toContain(seen);
  expect(shown).not.toContain(VALUE.slice(0, 10));
});
