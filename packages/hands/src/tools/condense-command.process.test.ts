import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

const PYTEST = readFileSync(new URL('../output/runners/recorded/pytest-fail.txt', import.meta.url), 'utf8');
const VITEST = readFileSync(new URL('../output/runners/recorded/vitest.txt', import.meta.url), 'utf8');
const FILES = {
  'pytest.txt': PYTEST,
  'vitest.txt': VITEST,
  'run.mjs': "import { readFileSync } from 'node:fs';\nprocess.stdout.write(readFileSync(process.argv[2]));\nprocess.exitCode = 1;\n",
};
const session = { sessionId: 's' };

it('shows what failed of a run of tests, and stores the whole', async () => {
  await using at = await temporaryHands(FILES);
  const result = await at.hands.call('run_command', { command: 'node run.mjs pytest.txt' }, session);
  const output = result.ok ? result.output : '';
  expect(output).toMatch(
    /^\[exit code 1\. Of pytest: what failed, and totals, of 65 lines\. The whole output can be read or searched with path "spill:\w+"\.\]\nERRORS\n/u,
  );
  expect(output).toContain('3 failed, 41 passed');
  expect(output.length).toBeLessThan(PYTEST.length / 2);
  // Programs get all of it.
  expect(result).toMatchObject({
    data: { exit_code: 1, output: PYTEST, stdout: PYTEST },
    meta: { completion: 'failed', truncation: { by: 'lines' } },
  });
  const spill = result.meta.truncation?.spill ?? '';
  expect(await at.hands.call('read_file', { path: spill }, session)).toMatchObject({ data: { content: PYTEST } });
  expect(await at.hands.call('search_text', { path: spill, pattern: 'platform linux' }, session)).toMatchObject({ data: { matches: [{ line: 2 }] } });
});

it('reads through colors, and stores the text without them', async () => {
  await using at = await temporaryHands(FILES);
  const result = await at.hands.call('run_command', { command: 'node run.mjs vitest.txt' }, session);
  expect(result.ok && result.output).toContain('Object.is equality\n- 4\n+ 3\n');
  const whole = await at.hands.call('read_file', { path: result.meta.truncation?.spill ?? '' }, session);
  expect(whole.ok && whole.data.content).toContain('- Expected\n+ Received\n');
});

it.each([
  ['it is asked for as it is', 'cat pytest.txt', {}],
  ['lines of it are picked', 'node run.mjs pytest.txt | head -60', {}],
  ['the caller does not come back for the rest', 'node run.mjs pytest.txt', { foreground: true }],
])('shows all of it if %s', async (_, command, more) => {
  await using at = await temporaryHands(FILES);
  const result = await at.hands.call('run_command', { command }, { ...session, ...more });
  expect(result.ok && result.output).toContain('platform linux');
});
