import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dangerousSettings } from './executable-git-config.ts';

it.each([
  ['[core]\n\tfsmonitor = ./evil\n', ['core.fsmonitor']],
  ['[CORE] FsMonitor=./evil', ['core.fsmonitor']],
  ['[core]\n\thooksPath = x\n\tpager = y\n', ['core.hookspath', 'core.pager']],
  ['[alias]\n\ts = !sh\n', ['alias.s']],
  ['[filter "a\\"b]"]\n\tclean = x\n', ['filter.clean']],
  ['[include]\n\tpath = ../x\n', ['include.path']],
  ['[includeIf "gitdir:/"]\n\tpath = ../x\n', ['includeif.path']],
  ['[remote "o"]\n\turl = ext::sh -c x\n', ['remote.url']],
  ['[remote "o"]\n\turl = "ext::sh -c x"\n', ['remote.url']],
  ['[remote "o"]\n\turl = -oProxyCommand=x\n', ['remote.url']],
  ['[remote "o"]\n\tuploadpack = x\n', ['remote.uploadpack']],
  ['[branch "main"]\n\tremote = ext::sh -c x\n\tpushRemote = ext::x\n', ['branch.remote', 'branch.pushremote']],
  ['[remote]\n\tpushDefault = ext::x\n', ['remote.pushdefault']],
  ['[remote]\n\tpushDefault = o\n[branch "main"]\n\tremote = o\n\tpushRemote = .\n', []],
  ['[user]\n\tname = a \\\n[core]\n', ['unreadable']],
  ['[core]\n\tworktree = /etc\n', ['core.worktree']],
  ['garbage', ['unreadable']],
  ['\u{feff}[core]\n\tbare = false\n', []],
  ['[core]\n\u00a0fsmonitor = x\n', ['core.fsmonitor']],
  ['[core]\n\tbare = false\rfsmonitor = x\n', ['unreadable']],
  ['[user]\n\tname = x # y\n; c\n\n[branch "a.b"]\n\tmerge = refs/heads/a\n', []],
  ['[remote "o"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/o/*\n', []],
])('%j has %j', (text, expected) => {
  expect(dangerousSettings(text)).toEqual(expected);
});

it('lets what git init itself writes stand', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-git-'));
  execFileSync('git', ['init', '-q', folder]);
  expect(dangerousSettings(readFileSync(join(folder, '.git', 'config'), 'utf8'))).toEqual([]);
  rmSync(folder, { recursive: true });
});
