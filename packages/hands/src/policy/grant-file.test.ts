import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Grant } from './grant.ts';
import { workspaceId } from '../state/state-folder.ts';
import { GrantFile } from './grant-file.ts';

const grant = (rule: string, expiresAt = 2_000): Grant => ({ scope: 'project', tool: 'exec', rules: [rule], grantedAt: 1, expiresAt });

let state: string;
let store: GrantFile;
let path: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  store = new GrantFile(state, '/ws');
  path = join(state, 'grants', `${workspaceId('/ws')}.json`);
});

describe('the file of grants', () => {
  it('keeps grants for their owner alone, and for their workspace alone', async () => {
    expect(store.load(0)).toEqual({ grants: [] });
    store.change(0, () => [grant('exec(npm test)')]);
    expect(new GrantFile(state, '/ws').load(0).grants).toEqual([grant('exec(npm test)')]);
    expect(new GrantFile(state, '/other').load(0).grants).toEqual([]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(state, 'grants'))).mode & 0o777).toBe(0o700);
    expect((await readdir(join(state, 'grants'))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('drops what has expired, when it is read and when it is written', async () => {
    store.change(0, () => [grant('exec(a)', 10), grant('exec(b)', 100)]);
    expect(store.load(10).grants.map(({ rules }) => rules[0])).toEqual(['exec(b)']);
    store.change(10, (kept) => kept);
    expect(await readFile(path, 'utf8')).not.toContain('exec(a)');
  });

  it('tells when another process changed it', () => {
    const before = store.version();
    new GrantFile(state, '/ws').change(0, () => [grant('exec(a)')]);
    expect(store.version()).not.toBe(before);
  });

  it.each([
    ['no JSON', '{"version":1,'],
    ['nothing', ''],
    ['another form', '{"version":2,"workspace":"/ws","grants":[]}'],
    ['another workspace', '{"version":1,"workspace":"/other","grants":[]}'],
    ['a field too many', '{"version":1,"workspace":"/ws","grants":[],"allow":["run_command"]}'],
    ['a grant without an end', '{"version":1,"workspace":"/ws","grants":[{"tool":"a","rules":["run_command"],"grantedAt":1}]}'],
    ['a field too many in a grant', '{"version":1,"workspace":"/ws","grants":[{"tool":"a","rules":[],"grantedAt":1,"expiresAt":2,"x":1}]}'],
    ['far too much', `{"version":1,"workspace":"/ws","grants":[]}${' '.repeat(2 * 1024 * 1024)}`],
  ])('grants nothing from a file with %s, keeps it and says so', async (_, text) => {
    store.change(0, () => [grant('exec(a)')]);
    await writeFile(path, text);
    const loaded = store.load(0);
    expect(loaded.grants).toEqual([]);
    const kept = (await readdir(join(state, 'grants'))).find((name) => name.includes('.damaged-'));
    expect(loaded.notice).toContain(kept);
    expect(await readFile(join(state, 'grants', kept ?? ''), 'utf8')).toBe(text);
    store.change(0, (before) => [...before, grant('exec(b)')]);
    expect(store.load(0).grants.map(({ rules }) => rules[0])).toEqual(['exec(b)']);
  });

  it('grants nothing from a file that cannot be read, and says so', async () => {
    await mkdir(path, { recursive: true });
    expect(store.load(0)).toEqual({ grants: [], notice: expect.stringContaining('EISDIR') as string });
  });
});
