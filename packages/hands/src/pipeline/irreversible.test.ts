import { truncate, writeFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';
import { PROBE } from '../testing/probe-tool.ts';

const TOO_LARGE = 40 * 1024 * 1024;

async function place(options: Omit<HandsOptions, 'workspace'>): Promise<TemporaryHands> {
  const at = await temporaryHands({ 'small.txt': 'x', 'd/in.txt': 'x' }, options);
  for (const path of ['big', 'd/big']) {
    await writeFile(at.at(path), '');
    await truncate(at.at(path), TOO_LARGE);
  }
  return at;
}

const LOSSES: ReadonlyArray<[string, string, unknown]> = [
  ['a file', 'delete_file', { path: 'big' }],
  ['a file that is replaced', 'write_file', { path: 'big', content: '' }],
  ['a file in a folder', 'delete_directory', { path: 'd', recursive: true }],
  ['a file in a patch', 'apply_patch', { patch: '*** Begin Patch\n*** Delete File: small.txt\n*** Delete File: big\n*** End Patch' }],
];

it.each(LOSSES)('asks before %s is lost for good, where a mode would let it go', async (_, tool, input) => {
  const asked: ApprovalRequest[] = [];
  let answer: 'deny' | 'allow' = 'deny';
  const approver: Approver = {
    name: 'person',
    ask: async (request) => {
      asked.push(request);
      return answer === 'deny' ? { verdict: 'deny' } : { verdict: 'allow', scope: 'once' };
    },
  };
  await using at = await place({ allow: [], policy: { mode: 'auto-edit' }, approver });
  const before = readdirSync(at.folder);
  expect(await at.hands.call(tool, input)).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(readdirSync(at.folder)).toEqual(before);
  expect(asked[0]?.reason).toContain('it cannot be undone, because');
  expect(asked[0]?.effects.at(-1)).toMatch(/^This cannot be undone: (?:d\/)?big \(41\.9MB\) is more than the undo journal keeps\.$/u);
  answer = 'allow';
  expect(await at.hands.call(tool, input)).toMatchObject({ ok: true, meta: { tooLargeToUndo: [{ bytes: TOO_LARGE }] } });
  expect(asked).toHaveLength(2);
});

it.each(LOSSES)('denies the loss of %s if no one can answer', async (_, tool, input) => {
  await using at = await place({ allow: [], policy: { mode: 'auto-edit' } });
  const result = await at.hands.call(tool, input);
  expect(result).toMatchObject({ ok: false, error: { code: 'approval_required', hint: expect.stringContaining('--yes') as string } });
  expect(readdirSync(at.folder)).toEqual(['big', 'd', 'small.txt']);
});

it('shows the loss in a question that is asked anyway', async () => {
  let effects: readonly string[] = [];
  const approver: Approver = {
    name: 'person',
    ask: async (request) => {
      effects = request.effects;
      return { verdict: 'allow', scope: 'once' };
    },
  };
  await using at = await place({ allow: [], approver });
  expect(await at.hands.call('delete_file', { path: 'big' })).toMatchObject({ ok: true });
  expect(effects).toEqual(['writes big', expect.stringContaining('cannot be undone')]);
});

it.each<[string, Omit<HandsOptions, 'workspace'>]>([
  ['--yes', { allow: ['write'] }],
  ['a rule', { allow: [], policy: { mode: 'auto-edit', allow: ['write(big)'] } }],
])('takes %s for a yes', async (_, options) => {
  await using at = await place(options);
  expect(await at.hands.call('delete_file', { path: 'big' })).toMatchObject({ ok: true });
});

it.each<[string, unknown]>([
  ['move_path', { from: 'd', to: 'e' }],
  ['create_directory', { path: 'd' }],
  ['delete_file', { path: 'small.txt' }],
])('does not ask where nothing is lost: %s', async (tool, input) => {
  await using at = await place({ allow: [], policy: { mode: 'auto-edit' } });
  expect(await at.hands.call(tool, input)).toMatchObject({ ok: true });
});

it('loses nothing that grew after the question', async () => {
  const grow = defineTool({
    ...PROBE,
    name: 'grow',
    description: 'Deletes a file that grows before it.',
    effects: 'write',
    permission: () => [{ action: 'write', resource: 'small.txt' }],
    async execute(_, { workspace }) {
      await truncate(`${workspace.root}/small.txt`, TOO_LARGE);
      await workspace.deleteFile('small.txt');
      return { data: {}, content: '' };
    },
  });
  await using at = await temporaryHands({ 'small.txt': 'x' }, { allow: [], policy: { mode: 'auto-edit' }, tools: [grow] });
  expect(await at.hands.call('grow', {})).toMatchObject({
    ok: false,
    error: { code: 'approval_required', message: expect.stringContaining('losing it for good was not approved') as string },
  });
  expect(readdirSync(at.folder)).toEqual(['small.txt']);
});
