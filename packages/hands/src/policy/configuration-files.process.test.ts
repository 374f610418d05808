import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import type { Hands } from '../runtime/hands.ts';
import { Projects } from '../projects/projects.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { parseTree } from 'jsonc-parser';
import { isNestedDeeper } from './configuration-files.ts';

it('lets a project tighten at once, and loosen only when a person trusts it', async () => {
  await using place = await temporaryHands({
    'a.txt': 'a',
    '.synapse/config.jsonc': '{ "permissions": { "deny": ["read(a.txt)"], "allow": ["write"] } } // mine',
  });
  const stateFolder = join(place.outside, '..', 'state');
  const open = (): Promise<Hands> => createHands({ workspace: place.folder, stateFolder, configFolder: place.outside, tracked: 'add' });
  const write = { path: 'b.txt', content: 'b' };
  {
    await using hands = await open();
    expect(await hands.call('read_file', { path: 'a.txt' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(await hands.call('write_file', write)).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  }
  {
    using projects = Projects.open(stateFolder);
    projects.trust(place.folder);
  }
  await using hands = await open();
  expect(await hands.call('read_file', { path: 'a.txt' })).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(await hands.call('write_file', write)).toMatchObject({ ok: true });
});

it('lets a trusted project permit what it did when it was trusted; a later change tightens at once, and loosens after another yes', async () => {
  await using place = await temporaryHands({ '.synapse/config.jsonc': '{ "permissions": { "allow": ["write(a.txt)"] } }' });
  const stateFolder = join(place.outside, '..', 'state');
  const codes = async (): Promise<unknown[]> => {
    await using hands = await createHands({ workspace: place.folder, stateFolder, configFolder: place.outside, tracked: 'add' });
    const calls = ['a.txt', 'b.txt'].map((path) => hands.call('write_file', { path, content: 'x' }));
    return (await Promise.all(calls)).map((result) => (result.ok ? 'ok' : result.error.code));
  };
  await codes();
  using projects = Projects.open(stateFolder);
  projects.trust(place.folder);
  expect(await codes()).toEqual(['ok', 'approval_required']);
  // As a pull would bring it.
  await writeFile(join(place.folder, '.synapse/config.jsonc'), '{ "permissions": { "allow": ["write"], "deny": ["write(a.txt)"] } }');
  expect(await codes()).toEqual(['denied', 'approval_required']);
  projects.trust(place.folder);
  expect(await codes()).toEqual(['denied', 'ok']);
});

it('stops changes where a rule that denies cannot be read, with the place and the reason, and goes on reading', async () => {
  await using place = await temporaryHands({ 'a.txt': 'one\n' });
  const configFolder = join(place.outside, 'config');
  await mkdir(configFolder);
  await writeFile(join(configFolder, 'config.jsonc'), '{\n  "permissions": { "deny": ["raed_file(.env)"] }\n}\n');
  await using hands = await createHands({ workspace: place.folder, stateFolder: join(place.outside, 'state'), configFolder, allow: ['write'] });
  expect(await hands.call('write_file', { path: 'b.txt', content: '' })).toMatchObject({
    ok: false,
    error: { code: 'denied', message: expect.stringMatching(/config\.jsonc:2:\d+: .*read_file/u) as string },
  });
  expect(await hands.call('read_file', { path: 'a.txt' })).toMatchObject({ ok: true });
});

it.each([
  ['a pipe', 'mkfifo config.jsonc'],
  ['a folder', 'mkdir config.jsonc'],
  ['a link that leads nowhere', 'ln -s /nowhere/at/all config.jsonc'],
  ['a link that leads in a circle', 'ln -s config.jsonc config.jsonc'],
  ['a device', 'ln -s /dev/zero config.jsonc'],
  ['far too large', 'truncate -s 4G config.jsonc'],
])('stops, and does not wait, where a configuration is %s', async (_, make) => {
  await using place = await temporaryHands({ '.synapse/x': '' });
  execFileSync('/bin/sh', ['-c', make], { cwd: join(place.folder, '.synapse') });
  const opened = createHands({ workspace: place.folder, stateFolder: join(place.outside, 'state'), configFolder: join(place.outside, 'config') });
  await expect(opened).rejects.toThrow(/configuration .*config\.jsonc (?:cannot be read|is too large)/u);
});

it.each([
  ['', 0, false],
  ['{}', 1, false],
  ['{}', 0, true],
  ['[[[]]]', 3, false],
  ['[[[]]]', 2, true],
  ['{"a": {"b": []}, "c": {}, "d": []}', 3, false],
  ['{"a": "[[[[", /* [[[[ */ "b": 1 } // [[[[', 1, false],
  ['{"a": "\\"[[[["}', 1, false],
])('of %j, %i levels: %s', (text, levels, deeper) => {
  expect(isNestedDeeper(text, levels)).toBe(deeper);
});

it.each(['[', '{"a":', '[},', '{"a":],[', '[{]', '[[]{,', '{[,{"a":', '[1 2,[', '"\n[,', '/*[', '[}{]'])(
  'lets nothing through that uses up the stack of the parser: %j again and again',
  (piece) => {
    const text = piece.repeat(50_000);
    const parsed = (): boolean => parseTree(text, [], { allowTrailingComma: true }) !== null;
    expect(isNestedDeeper(text, 64) || parsed()).toBe(true);
  },
);
