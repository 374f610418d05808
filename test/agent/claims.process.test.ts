import { openModel, runAgent, sessionEvidence, type AgentEvent } from '@synapse/brain';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAgentPlace } from './agent-place.ts';
import { startChatServer, type Scripted } from './scripted-chat.ts';

type Wanted = readonly [name: string, input: object];
const TEST: Wanted = ['run_command', { command: 'npm test' }];
const EDIT: Wanted = ['write_file', { path: 'src/new.js', content: 'export const a = 1;\n' }];
const SCRIPT = `node -e "console.log('# tests 2\\n# pass 2\\n# fail 0')"`;

/** Runs a model that makes calls, one each turn, and then says something. */
async function run(wanted: readonly Wanted[], text: string) {
  await using place = await openAgentPlace();
  await writeFile(join(place.folder, 'package.json'), JSON.stringify({ name: 'claimed', scripts: { test: SCRIPT } }));
  const script = wanted.map(([name, input], at): Scripted => ({ kind: 'calls', calls: [{ id: `c${at}`, name, input: JSON.stringify(input) }] }));
  await using server = await startChatServer((_, index) => script[index] ?? { kind: 'text', text });
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const events: AgentEvent[] = [];
  const { claims } = await runAgent({
    hands: place.hands,
    model,
    system: 'You work.',
    task: 'Work.',
    evidence: async ({ id, messages }) => await sessionEvidence(place.state, place.folder, id, messages),
    onEvent: (event) => events.push(event),
  });
  const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
  return { claims, notes };
}

it('cites the receipt of what backs a claim', async () => {
  const { claims, notes } = await run([EDIT, TEST], 'Done. All 2 tests pass.');
  expect(notes).toEqual([]);
  expect(claims).toMatchObject({
    ok: true,
    claims: [{ claim: 'All 2 tests pass.', verdict: 'backed', call: expect.stringMatching(/:c1$/u) as string }],
  });
});

it.each<readonly [string, readonly Wanted[], string, RegExp]>([
  ['no run', [EDIT], 'All tests pass.', /^Not backed: "All tests pass\." No command ran/u],
  ['a run before the last change', [TEST, EDIT], 'All tests pass.', /npm test ran before the last change of src\/new\.js/u],
  ['a hidden exit code', [EDIT, ['run_command', { command: 'npm test | tail -1' }]], 'Tests pass.', /hides a failure/u],
  ['another number', [EDIT, TEST], 'All 12 tests pass.', /^Contradicted: .* 2 passed, not 12\./u],
  ['a file that was not read', [['read_file', { path: 'package.json' }]], 'I read src/hidden.ts.', /No call read src\/hidden\.ts/u],
])('marks %s', async (_, wanted, text, expected) => {
  const { claims, notes } = await run(wanted, text);
  expect(claims?.ok).toBe(false);
  expect(notes).toEqual([expect.stringMatching(expected)]);
});

const JOB: Wanted = ['run_command', { command: 'npm test', background: true, wait_pattern: 'never', yield_ms: 20_000 }];
const NEVER: Wanted = ['run_command', { command: 'npm test && sleep 1000', background: true, wait_pattern: '# fail', yield_ms: 20_000 }];
it.each<readonly [string, readonly Wanted[], string, RegExp]>([
  ['a job that still runs', [EDIT, NEVER], 'All tests pass.', /npm test && sleep 1000 still runs\./u],
  ['a job before the last change', [JOB, EDIT], 'All tests pass.', /npm test ran before the last change of src\/new\.js/u],
])('marks %s', async (_, wanted, text, expected) => {
  const { claims, notes } = await run(wanted, text);
  expect(claims?.ok).toBe(false);
  expect(notes).toEqual([expect.stringMatching(expected)]);
});
