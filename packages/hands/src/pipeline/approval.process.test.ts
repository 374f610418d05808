import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import { createHands } from '../runtime/create-hands.ts';
import { workspaceId } from '../state/state-folder.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

type Answering = (request: ApprovalRequest) => ApprovalAnswer;

/** An approver that remembers what it was asked. */
function approver(answer: Answering): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return { name: 'test', asked, ask: async (request) => (asked.push(request), answer(request)) };
}

const always: Answering = ({ proposals: [proposal] }) => ({ verdict: 'allow', scope: 'project', ...(proposal === undefined ? {} : { proposal }) });
const write = (path: string): [string, object] => ['write_file', { path, content: 'x\n' }];

it('keeps an approval for the project, in other hands too, until it is revoked', async () => {
  const asking = approver(always);
  await using at = await temporaryHands({}, { allow: [], approver: asking });
  const others = await createHands({ workspace: at.folder, stateFolder: join(dirname(at.folder), 'state') });
  await using _ = others;
  expect(await others.call(...write('a.txt'))).toMatchObject({ error: { code: 'approval_required' } });
  expect(await at.hands.call(...write('a.txt'))).toMatchObject({ ok: true });
  expect(await at.hands.call(...write('a.txt'))).toMatchObject({ ok: true });
  expect(asking.asked).toHaveLength(1);
  expect(await others.call(...write('a.txt'))).toMatchObject({ ok: true });
  expect(await others.call(...write('b.txt'))).toMatchObject({ error: { code: 'approval_required' } });
  expect(others.policy().grants).toMatchObject([{ scope: 'project', rules: ['write(/a.txt)'] }]);
  expect(others.revoke('write(/nothing)')).toEqual([]);
  expect(others.revoke(1)).toHaveLength(1);
  expect(await others.call(...write('a.txt'))).toMatchObject({ error: { code: 'approval_required' } });
  await at.hands.call(...write('a.txt'));
  expect(asking.asked).toHaveLength(2);
});

it('keeps an approval for the session in these hands alone', async () => {
  const asking = approver((request) => ({ ...always(request), scope: 'session' }) as ApprovalAnswer);
  await using at = await temporaryHands({}, { allow: [], approver: asking });
  await at.hands.call(...write('a.txt'));
  await at.hands.call(...write('a.txt'));
  expect(asking.asked).toHaveLength(1);
  await using others = await createHands({ workspace: at.folder, stateFolder: join(dirname(at.folder), 'state') });
  expect(others.policy().grants).toEqual([]);
});

it('never saves a rule that was not shown', async () => {
  const proposal = { kind: 'pattern', rules: ['write_file', 'run_command'], covers: [], doesNotCover: [] } as const;
  await using at = await temporaryHands({}, { allow: [], approver: approver(() => ({ verdict: 'allow', scope: 'project', proposal })) });
  const result = await at.hands.call(...write('a.txt'));
  expect(result).toMatchObject({ ok: true, output: expect.stringContaining('counts for this call only') as string });
  expect(at.hands.policy().grants).toEqual([]);
});

it('runs nothing but what was shown', async () => {
  const swapping: Answering = (request) => {
    Object.assign(request.arguments, { path: 'b.txt' });
    return { verdict: 'allow', scope: 'once' };
  };
  await using at = await temporaryHands({}, { allow: [], approver: approver(swapping) });
  expect(await at.hands.call(...write('a.txt'))).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(await at.hands.call('list_directory', { path: '.' })).toMatchObject({ data: { entries: [] } });
});

it('asks whom the caller names rather than whom the hands know', async () => {
  const mine = approver(() => ({ verdict: 'deny', reason: 'mine' }));
  const theirs = approver(() => ({ verdict: 'later' }));
  await using at = await temporaryHands({}, { allow: [], approver: theirs });
  expect(await at.hands.call(...write('a.txt'), { approver: mine })).toMatchObject({ error: { code: 'denied', hint: 'They said: mine' } });
  expect(theirs.asked).toEqual([]);
  expect(await at.hands.call(...write('a.txt'))).toMatchObject({ error: { code: 'approval_required' } });
});

it('grants nothing from a damaged file, and tells', async () => {
  await using at = await temporaryHands({}, { allow: [], approver: approver(always) });
  await at.hands.call(...write('a.txt'));
  const folder = join(dirname(at.folder), 'state', 'grants');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${workspaceId(at.folder)}.json`), '[');
  await using others = await createHands({ workspace: at.folder, stateFolder: join(dirname(at.folder), 'state') });
  expect(others.policy().problems).toEqual([expect.stringContaining('damaged')]);
  expect(await others.call(...write('a.txt'))).toMatchObject({ error: { code: 'approval_required' } });
});

it.each([
  ['allow', 'read_file', { path: 'a.txt' }],
  ['ask', 'write_file', { path: 'a.txt', content: '' }],
  ['deny', 'write_file', { path: '.synapse/config.json', content: '' }],
  ['deny', 'write_file', { path: '../a.txt', content: '' }],
  // It runs on a copy, and what it changes is asked about.
  ['allow', 'run_command', { command: 'npm test; rm -rf build' }],
  ['ask', 'run_command', { command: 'npm test; git push' }],
  ['ask', 'run_command', { command: 'npm test', live: true }],
])('explains that it would %s %s of %j', async (verdict, tool, input) => {
  await using at = await temporaryHands({}, { allow: [] });
  expect(await at.hands.explain(tool, input)).toMatchObject({ verdict, rule: expect.objectContaining({ verdict }) as object });
});

it('explains no call that is none', async () => {
  await using at = await temporaryHands({});
  await expect(at.hands.explain('raed_file', {})).rejects.toMatchObject({ code: 'unknown_tool' });
  await expect(at.hands.explain('read_file', {})).rejects.toMatchObject({ code: 'invalid_arguments' });
});

it('says of a command that wants the network that it has none', async () => {
  const asking = approver(() => ({ verdict: 'deny' }));
  await using at = await temporaryHands({}, { allow: [], approver: asking, sandbox: 'required' });
  await at.hands.call('run_command', { command: 'git push origin main' });
  expect(asking.asked[0]?.effects).toContain('has no network, so it can download and send nothing (--network opens it)');
});

it('says where a person was asked, at once and in an answer after a short wait', async () => {
  const elsewhere: Approver = {
    name: 'elsewhere',
    ask: (_, signal, onShown) =>
      new Promise((resolve) => {
        onShown?.('the open Synapse console');
        signal.addEventListener('abort', () => resolve({ verdict: 'deny' }));
      }),
  };
  await using place = await temporaryHands({}, { allow: [], approver: elsewhere });
  const told: Array<string | undefined> = [];
  const result = await place.hands.call(
    'write_file',
    { path: 'a.txt', content: 'x' },
    { approvalTimeoutMs: 10, onProgress: ({ message }) => told.push(message) },
  );
  expect(told).toEqual(['This call waits for a person, who is asked in the open Synapse console.']);
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: 'approval_required',
      hint: expect.stringContaining('A person was asked in the open Synapse console and did not answer in time; the same call asks again.') as string,
    },
  });
});
