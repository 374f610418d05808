import { expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = { 'a.txt': 'one\ntwo\n', 'd/in.txt': 'x\n', 'secret.txt': 'token: hunter2hunter2\n' };

function yes(): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return { name: 'person', asked, ask: async (request) => (asked.push(request), { verdict: 'allow', scope: 'once' }) };
}

const edit = (path: string, old_text: string): [string, object] => ['edit_file', { path, edits: [{ old_text, new_text: 'three' }] }];

it.each<[string, string, object, string]>([
  ['an edit of text that is not there', ...edit('a.txt', 'absent\n'), 'no_match'],
  ['an edit of a missing file', ...edit('none.txt', 'one'), 'not_found'],
  ['a patch that does not apply', 'apply_patch', { patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n-absent\n+x\n*** End Patch' }, 'no_match'],
  ['a move of nothing', 'move_path', { from: 'none', to: 'b' }, 'not_found'],
  ['the deletion of nothing', 'delete_file', { path: 'none' }, 'not_found'],
  ['a folder in place of the file', 'write_file', { path: 'd', content: '' }, 'wrong_type'],
])('no person is asked about %s', async (_, tool, input, code) => {
  const person = yes();
  await using at = await temporaryHands(FILES, { allow: [], approver: person });
  expect(await at.hands.call(tool, input)).toMatchObject({ ok: false, error: { code } });
  expect(person.asked).toEqual([]);
  await using alone = await temporaryHands(FILES, { allow: [] });
  expect(await alone.hands.call(tool, input)).toMatchObject({ ok: false, error: { code } });
});

it('asks once about an edit that can be made, and makes it', async () => {
  const person = yes();
  await using at = await temporaryHands(FILES, { allow: [], approver: person });
  expect(await at.hands.call(...edit('a.txt', 'two'))).toMatchObject({ ok: true });
  expect(person.asked).toHaveLength(1);
  expect(await at.hands.call('read_file', { path: 'a.txt' })).toMatchObject({ output: expect.stringContaining('three') as string });
});

it('tells nothing of a file that may not be read without approval', async () => {
  await using at = await temporaryHands(FILES, { allow: [], policy: { ask: ['read(secret.txt)'] } });
  const result = await at.hands.call(...edit('secret.txt', 'tokens: hunter3hunter3\n'));
  expect(result).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  expect(JSON.stringify(result)).not.toContain('hunter2');
});
