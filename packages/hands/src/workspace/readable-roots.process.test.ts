import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { readingRules } from './readable-roots.ts';

let outside: string;
let other: string;

beforeAll(async () => {
  outside = await realpath(await mkdtemp(join(tmpdir(), 'synapse-readable-')));
  other = await realpath(await mkdtemp(join(tmpdir(), 'synapse-other-')));
  writeFileSync(join(outside, 'text'), 'outside');
  writeFileSync(join(outside, '.env'), 'SECRET');
  writeFileSync(join(other, 'text'), 'other');
  mkdirSync(join(outside, 'folder'));
  symlinkSync('.env', join(outside, 'harmless'));
  symlinkSync(join(other, 'text'), join(outside, 'link'));
});

afterAll(() => Promise.all([outside, other].map((folder) => rm(folder, { recursive: true, force: true }))));

const read = async (path: string, readable: readonly string[]): Promise<string> => {
  await using place = await temporaryHands({ 'a.txt': 'inside' }, { readable });
  const result = await place.hands.call('read_file', { path });
  return result.ok ? `${result.data.path}: ${result.data.content}` : `${result.error.code}: ${result.error.message}`;
};

it('reads nothing outside unless it is named', async () => {
  expect(await read(join(outside, 'text'), [])).toMatch(/^outside_workspace: /u);
});

it.each<[string, () => string, () => string[], () => string | RegExp]>([
  ['a file, by its real path', () => join(outside, 'text'), () => ['/'], () => `${outside}/text: outside`],
  ['a file of one folder', () => join(outside, 'folder/../text'), () => [outside], () => `${outside}/text: outside`],
  ['the workspace as ever', () => 'a.txt', () => ['/'], () => 'a.txt: inside'],
  ['no file of a folder beside', () => join(other, 'text'), () => [outside], () => /^outside_workspace: /u],
  ['no way up', () => join(outside, '..', 'x'), () => [outside], () => /^outside_workspace: /u],
  ['no link that leaves the folder', () => join(outside, 'link'), () => [outside], () => /^outside_workspace: /u],
  ['a link that stays in it', () => join(outside, 'link'), () => ['/'], () => `${other}/text: other`],
  ['no secret', () => join(outside, '.env'), () => ['/'], () => /^approval_required: /u],
  ['no secret by another name', () => join(outside, 'harmless'), () => ['/'], () => /^approval_required: /u],
  ['no password of the system', () => '/etc/shadow', () => ['/'], () => /^approval_required: /u],
  ['no environment', () => '/proc/self/environ', () => ['/'], () => /^denied: /u],
  ['no device', () => '/dev/zero', () => ['/'], () => /^denied: /u],
  ['no folder', () => join(outside, 'folder'), () => ['/'], () => /^wrong_type: /u],
  ['what is not there', () => join(outside, 'none'), () => ['/'], () => /^not_found: File not found: .*none$/u],
  ['a relative path stays inside', () => '../text', () => ['/'], () => /^outside_workspace: /u],
])('%s', async (_, path, readable, wanted) => {
  const answer = wanted();
  const got = await read(path(), readable());
  if (typeof answer === 'string') expect(got).toBe(answer);
  else expect(got).toMatch(answer);
});

it('does not show the state folder', async () => {
  await using place = await temporaryHands({}, { readable: ['/'] });
  const state = join(place.folder, '..', 'state');
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'own'), 'state');
  expect(await place.hands.call('read_file', { path: join(state, 'own') })).toMatchObject({ ok: false, error: { code: 'denied' } });
});

it('does not show the state folder by the real name of a linked folder either', async () => {
  await using place = await temporaryHands({ 'a.txt': '' });
  const base = join(place.folder, '..');
  mkdirSync(join(base, 'real-state'));
  writeFileSync(join(base, 'real-state', 'own'), 'state');
  symlinkSync('real-state', join(base, 'linked-state'));
  await using hands = await createHands({ workspace: place.folder, stateFolder: join(base, 'linked-state'), readable: ['/'] });
  for (const name of ['linked-state', 'real-state']) {
    expect(await hands.call('read_file', { path: join(base, name, 'own') })).toMatchObject({ ok: false, error: { code: 'denied' } });
  }
});

it.each([
  ['list_directory', {}],
  ['file_info', {}],
  ['search_text', { pattern: 'outside' }],
  ['find_files', { glob: '*' }],
  ['write_file', { content: '' }],
  ['delete_file', {}],
])('%s goes no further than before', async (tool, input) => {
  await using place = await temporaryHands({}, { readable: ['/'] });
  expect(await place.hands.call(tool, { ...input, path: join(outside, 'text') })).toMatchObject({ ok: false, error: { code: 'outside_workspace' } });
});

it.each([
  [['/'], ['read(//**)']],
  [
    ['/srv/a b', '/srv/[x]'],
    ['read(//srv/a\\ b/**)', 'read(//srv/\\[x\\]/**)'],
  ],
])('allows reading below %j by rules', (folders, rules) => {
  expect(readingRules(folders)).toEqual(rules);
});
