import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

it.skipIf((await findBubblewrap()) === undefined)('takes a commit back without permission for protected places, but not a hook', async () => {
  await using place = await temporaryHands({ 'a.txt': 'one\n' }, { sandbox: 'required', allow: ['write', 'exec'] });
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: place.folder, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const hook = join(place.folder, '.git/hooks/pre-commit');
  writeFileSync(hook, 'old');
  await using permitted = await createHands({
    workspace: place.folder,
    stateFolder: join(dirname(place.folder), 'state'),
    allow: ['write', 'exec', 'protected'],
  });
  expect(await permitted.call('write_file', { path: '.git/hooks/pre-commit', content: 'new' }, { callId: 'hook' })).toMatchObject({ ok: true });
  const result = await place.hands.call('run_command', {
    command: 'git switch -qc topic && echo two > a.txt && git commit -qam two --no-verify && git tag v1',
  });
  expect(result).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { ran: 'copy', undo: 'covered' } });
  expect(git('log', '--format=%s', 'v1')).toBe('two\nfirst\n');
  expect(await place.hands.undo()).toMatchObject({ ok: true });
  expect([git('log', '--format=%s'), git('tag'), git('branch'), git('status', '--short')]).toEqual(['first\n', '', '* main\n', '']);
  // Its content is judged: a setting that names a program needs more than one that describes a branch.
  git('config', 'core.pager', 'less');
  expect(await place.hands.call('run_command', { command: 'git config branch.main.description x' }, { callId: 'setting' })).toMatchObject({
    ok: true,
  });
  expect(await permitted.call('run_command', { command: 'git config --unset core.pager' }, { callId: 'pager' })).toMatchObject({ ok: true });
  expect(git('config', '--list')).not.toContain('core.pager');
  expect(await place.hands.undo({ call: 'pager' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  expect(await permitted.undo({ call: 'pager' })).toMatchObject({ ok: true });
  expect(await place.hands.undo({ call: 'setting' })).toMatchObject({ ok: true });
  expect(git('config', '--list')).not.toContain('description');
  expect(await place.hands.undo({ call: 'hook' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  expect(readFileSync(hook, 'utf8')).toBe('new');
  expect(await place.hands.call('write_file', { path: '.git/refs/heads/topic', content: 'x' })).toMatchObject({
    ok: false,
    error: { code: 'approval_required' },
  });
});
