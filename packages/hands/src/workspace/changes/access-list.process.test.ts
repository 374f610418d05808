import { chmodSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACCESS_LIST, accessListsOf, setAccessList, setDefaultList } from '../../testing/access-list.ts';
import { HandleConfinement } from '../handle-confinement.ts';
import { resolveTarget } from '../target.ts';
import { keepAccessList } from './access-list.ts';
import { applyChanges } from './change.ts';

let root: string;
let confinement: HandleConfinement;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-list-')));
  confinement = new HandleConfinement(root);
});
afterEach(() => {
  confinement[Symbol.dispose]();
});

/** Replaces a file, as an edit does. */
function replace(name: string): { readonly text: string; readonly mode: number; readonly list: string | undefined } {
  using target = resolveTarget(confinement, [name]);
  applyChanges([{ kind: 'write', target, bytes: Buffer.from('new') }]);
  const path = join(root, name);
  return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777, list: accessListsOf(path)[0] };
}

describe.runIf(process.platform === 'linux' && HandleConfinement.works())('access lists', () => {
  it.each(['a.txt', '123', '-n', 'ä b'])('a changed file keeps its list: %s', (name) => {
    writeFileSync(join(root, name), 'old');
    setAccessList(join(root, name));
    expect(statSync(join(root, name)).mode & 0o777).toBe(0o660);
    expect(replace(name)).toEqual({ text: 'new', mode: 0o660, list: ACCESS_LIST });
  });

  it('a file without a list does not get the one that its folder hands on', () => {
    writeFileSync(join(root, 'a.txt'), 'old');
    chmodSync(join(root, 'a.txt'), 0o640);
    setDefaultList(root);
    expect(replace('a.txt')).toEqual({ text: 'new', mode: 0o640, list: 'none' });
  });

  it('a file of a group, without any list, keeps its mode', () => {
    writeFileSync(join(root, 'a.txt'), 'old');
    chmodSync(join(root, 'a.txt'), 0o664);
    expect(replace('a.txt')).toEqual({ text: 'new', mode: 0o664, list: 'none' });
  });

  it('says if a list is not known', () => {
    writeFileSync(join(root, 'new'), '');
    using folder = confinement.openDirectory([]);
    expect(keepAccessList(folder, 'missing', 'new')).toBe(false);
    writeFileSync(join(root, 'old'), '');
    expect(keepAccessList(folder, 'old', 'new')).toBe(true);
    expect(keepAccessList(folder, 'old', 'missing')).toBe(false);
  });
});
