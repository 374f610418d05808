import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatConfig, parseConfigList, splitKey, type ConfigEntry } from './git-config.ts';
import { filtersLeftOut, isPartialClone, remoteNames, safeConfig } from './safe-config.ts';

const local = (key: string, value?: string): ConfigEntry => ({ scope: 'local', key, value });
const global = (key: string, value?: string): ConfigEntry => ({ scope: 'global', key, value });

describe('parseConfigList', () => {
  it.each([
    ['system\0a.b\nc\0', [{ scope: 'system', key: 'a.b', value: 'c' }]],
    ['local\0a.b.c\0local\0d.e\nf\ng=h\0', [local('a.b.c'), local('d.e', 'f\ng=h')]],
    ['', []],
    ['local\0', []],
  ])('reads %j', (text, entries) => expect(parseConfigList(Buffer.from(text))).toEqual(entries));

  it('keeps bytes that are no UTF-8', () => {
    expect(parseConfigList(Buffer.from('local\0filter.\xff.clean\nx\xfe\0', 'latin1'))).toEqual([local('filter.\xff.clean', 'x\xfe')]);
  });
});

it.each([
  ['core.bare', { section: 'core', subsection: undefined, variable: 'bare' }],
  ['filter.a.b=c.clean', { section: 'filter', subsection: 'a.b=c', variable: 'clean' }],
  ['filter..clean', { section: 'filter', subsection: '', variable: 'clean' }],
])('splits %s', (key, parts) => expect(splitKey(key)).toEqual(parts));

describe('formatConfig', () => {
  it('is read by git as what it was made of, whatever bytes it holds', () => {
    const folder = mkdtempSync(join(tmpdir(), 'synapse-'));
    const file = join(folder, 'config');
    const bytes = fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 30 });
    const subsection = bytes.filter((text) => !/[\n]/u.test(text));
    const entry = fc.tuple(
      fc.option(subsection, { nil: undefined }),
      fc.constantFrom('remote', 'merge', 'x-1'),
      fc.option(bytes, { nil: undefined }),
    );
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 5 }), (rows) => {
        const entries = rows.map(([name, variable, value]) => local(name === undefined ? `core.${variable}` : `branch.${name}.${variable}`, value));
        writeFileSync(file, formatConfig(entries));
        const read = execFileSync('git', ['config', '--file', file, '--list', '-z']);
        const expected = entries.map(({ key, value }) => `${key}${value === undefined ? '' : `\n${value}`}\0`).join('');
        expect(read.toString('latin1')).toBe(expected);
      }),
      { numRuns: 60 },
    );
    rmSync(folder, { recursive: true });
  });
});

describe('safeConfig', () => {
  it.each([
    local('core.filemode', 'true'),
    local('core.repositoryformatversion', '1'),
    local('extensions.objectformat', 'sha256'),
    local('branch.a.b\xff.merge', 'refs/heads/x'),
    local('remote.o=p.fetch', '+refs/*:refs/*'),
    global('core.excludesfile', '~/.ignore'),
    global('filter.lfs.clean', 'git-lfs clean -- %f'),
    global('filter.lfs.process', 'git-lfs filter-process --skip'),
    { scope: 'system', key: 'filter.lfs.required', value: 'true' },
  ])('keeps $scope $key', (entry) => expect(safeConfig([entry])).toContainEqual(entry));

  it.each([
    ...['core.fsmonitor', 'core.hookspath', 'core.pager', 'core.sshcommand', 'core.worktree', 'core.editor', 'core.askpass'].map((key) =>
      local(key, 'x'),
    ),
    ...['diff.external', 'diff.x.command', 'diff.x.textconv', 'merge.x.driver', 'filter.x.clean', 'filter.x.process', 'filter.x.smudge'].map((key) =>
      global(key, 'x'),
    ),
    ...['include.path', 'includeif.gitdir:**.path', 'alias.status', 'gpg.program', 'credential.helper', 'trace2.normaltarget'].map((key) =>
      local(key, 'x'),
    ),
    ...['extensions.partialclone', 'extensions.worktreeconfig', 'remote.o.promisor', 'remote.o.uploadpack', 'remote.o.vcs'].map((key) =>
      local(key, 'x'),
    ),
    local('core.excludesfile', '/dev/zero'),
    local('core.attributesfile', '/dev/zero'),
    local('filter.lfs.clean', 'git-lfs clean -- %f'),
    global('filter.lfs.clean', 'git-lfs clean -- %f; touch x'),
    global('filter.lfs.process', 'evil\ngit-lfs filter-process'),
    global('extensions.objectformat', 'sha256'),
    local('branch.a\n[filter "x"]\nclean = y.merge', 'x'),
  ])('leaves out $scope $key', (entry) => expect(safeConfig([entry])).toEqual([{ scope: 'command', key: 'core.bare', value: 'false' }]));

  it('does not pass on the address of a remote', () => {
    expect(safeConfig([local('remote.o.url', 'https://user:secret@host/')])).toContainEqual(local('remote.o.url', '.'));
  });
});

it('knows which filters, remotes and promises there are', () => {
  const entries = [
    local('filter.b.clean', 'x'),
    local('filter.a.process', 'x'),
    local('filter.only-smudge.smudge', 'x'),
    local('filter.empty.clean', ''),
    global('filter.lfs.process', 'git-lfs filter-process'),
    local('remote.origin.url', 'x'),
    local('remote.pushurl-only.pushurl', 'x'),
  ];
  expect(filtersLeftOut(entries)).toEqual(['a', 'b']);
  expect(remoteNames(entries)).toEqual(['origin']);
  expect(isPartialClone(entries)).toBe(false);
  expect(isPartialClone([local('remote.origin.promisor', 'true')])).toBe(true);
});
