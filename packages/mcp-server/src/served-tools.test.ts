import { createHands } from '@synapse/hands';
import { refusingHands } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CANNOT_ASK } from './approval/client-approvals.ts';
import { asksForPrograms, dialectTools, elsewhereTools, type ServedTools } from './served-tools.ts';

it('of a dialect or another machine: runs those offered, and refuses the others', async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  await writeFile(join(workspace, 'a.txt'), 'one\n');
  await using hands = await createHands({ workspace, stateFolder: await mkdtemp(join(tmpdir(), 'synapse-state-')) });
  const context = { signal: new AbortController().signal, report: undefined, client: {} };
  const call = (served: ServedTools, name: string, input: object) => served.call({ name, arguments: input }, context, CANNOT_ASK, 'session-1');
  const fail = (error: Error): void => expect.unreachable(error.message);

  const dialect = dialectTools(hands.dialect('gemini-cli'), ['read_file'], fail);
  expect(await call(dialect, 'read_file', { file_path: join(workspace, 'a.txt') })).toMatchObject({ content: [{ text: 'one\n' }] });
  await expect(call(dialect, 'run_shell_command', { command: 'true' })).rejects.toMatchObject({
    code: -32602,
    message: 'Unknown tool: run_shell_command',
  });
  expect(await call(dialect, 'nope', {})).toMatchObject({ isError: true });

  const elsewhere = elsewhereTools({ ...hands, about: { constraints: [] } }, ['read_file'], fail);
  expect(await call(elsewhere, 'read_file', { path: 'a.txt' })).toMatchObject({ content: [{ text: expect.stringMatching(/one\n$/u) as string }] });
  for (const name of ['run_command', 'x'.repeat(100)])
    await expect(call(elsewhere, name, {})).rejects.toMatchObject({ code: -32602, message: `Unknown tool: ${name.slice(0, 64)}` });
});

it.each<readonly [tools: 'all' | readonly string[], asks: boolean]>([
  ['all', false],
  [['program'], true],
  [['read_file', 'run_program'], true],
  [['read_file', 'read-only'], false],
])('takes a session with the tools %j for one of programs: %j', (tools, asks) => {
  const hands = refusingHands(() => new SynapseError('denied', 'No.'));
  expect(asksForPrograms(hands, tools)).toBe(asks);
});
