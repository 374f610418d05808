import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHands, type Hands } from '../create-hands.ts';
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

it('stops where a configuration is broken, with the place and the reason', async () => {
  await using place = await temporaryHands();
  const configFolder = join(place.outside, 'config');
  await mkdir(configFolder);
  await writeFile(join(configFolder, 'config.jsonc'), '{\n  "permissions": { "deny": ["raed_file(.env)"] }\n}\n');
  await expect(createHands({ workspace: place.folder, stateFolder: join(place.outside, 'state'), configFolder })).rejects.toThrow(
    /config\.jsonc:2:\d+: .*read_file/u,
  );
});
