import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_PATH, pathOutside } from './path-outside.ts';

it('removes what is in a folder, or is reached through it', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-path-')));
  const [root, tools] = [join(base, 'work'), join(base, 'tools')];
  for (const folder of [root, tools]) mkdirSync(folder);
  symlinkSync(root, join(base, 'alias'));
  symlinkSync(tools, join(root, 'out'));
  symlinkSync(join(root, 'bin'), join(tools, 'in'));
  const inside = [root, `${root}/node_modules/.bin`, `${root}/.venv/bin/`, `${base}/alias/bin`, `${root}/out`, `${base}/alias/out`, `${tools}/in`];
  const outside = [tools, `${base}/missing/bin`, `${root}-evil/bin`, '/usr/bin'];
  for (const entry of inside) expect([entry, pathOutside(`/usr/bin:${entry}:/bin`, root)]).toEqual([entry, '/usr/bin:/bin']);
  expect(pathOutside(outside.join(':'), root)).toBe(outside.join(':'));
  for (const path of ['', ':', '.:bin', `${root}/bin`]) expect([path, pathOutside(path, root)]).toEqual([path, DEFAULT_PATH]);
});
