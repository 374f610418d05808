import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHands } from '../create-hands.ts';
import type { Hands } from '../hands.ts';
import { Projects } from '../store/projects/projects.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

it('lets a project tighten at once, and loosen only when a person trusts it', async () => {
  await using place = await temporaryHands({
    'a.txt': 'a',
    '.synapse/config.jsonc': '{ "permissions": { "deny": ["read_file(a.txt)"], "allow": ["write_file"] } } // mine',
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
  await using place = await temporaryHands({ '.synapse/config.jsonc': '{ "permissions": { "allow": ["write_file(a.txt)"] } }' });
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
  await writeFile(join(place.folder, '.synapse/config.jsonc'), '{ "permissions": { "allow": ["write_file"], "deny": ["write_file(a.txt)"] } }');
  expect(await codes()).toEqual(['denied', 'approval_required']);
  projects.trust(place.folder);
  expect(await codes()).toEqual(['denied', 'ok']);
});

it('stops where a configuration is broken, with the place and the reason', async () => {
  await using place = await temporaryHands();
  const configFolder = join(place.outside, 'config');
  await mkdir(configFolder);
  await writeFile(join(configFolder, 'config.jsonc'), '{\n  "permissions": { "deny": ["raed_file(.env)"] }\n}\n');
  await expect(createHands({ workspace: place.folder, stateFolder: join(place.outside, 'state'), configFolder })).rejects.toThrow(
    /config\.jsonc:2:\d+: .*read_file/u,
  );
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
