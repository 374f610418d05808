import { rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { checkContract } from '../testing/contract.ts';
import type { TemporaryHands } from '../testing/temporary-hands.ts';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';

const TOO_LARGE = 'File too large (max 1MB)';
const BINARY = 'File is binary, cannot read as text';
const NOT_TRACKED = 'Project not tracked. Only tracked projects can be accessed.';

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('contract 4: ronin', () => {
  checkContract('ronin', [
    { says: 'UTF-8 text', tool: 'read_file', files: { 'a.txt': 'grüße\n' }, input: { path: 'a.txt' }, output: 'grüße\n' },
    { says: '1 MB', tool: 'read_file', files: { a: 'x'.repeat(1024 * 1024) }, input: { path: 'a' }, output: 'x'.repeat(1024 * 1024) },
    {
      says: '1 MB (`File too large (max 1MB)`)',
      tool: 'read_file',
      files: { a: 'x'.repeat(1024 * 1024 + 1) },
      input: { path: 'a' },
      output: TOO_LARGE,
      isError: true,
    },
    {
      says: '`list_dir(src/) → 15 files`',
      tool: 'list_dir',
      files: Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`src/${index}`, ''])),
      input: { path: 'src' },
      answer: { result: { meta: { summary: 'list_dir(src/) → 15 files' } } },
      output: /^\[/u,
    },
    {
      says: '`read_file(package.json) → 1.2KB`',
      tool: 'read_file',
      files: { 'package.json': 'x'.repeat(1_200) },
      input: { path: 'package.json' },
      answer: { result: { meta: { summary: 'read_file(package.json) → 1.2KB' } } },
    },
    {
      says: '`File is binary, cannot read as text`: an image of 800 kB',
      tool: 'read_file',
      files: { 'a.png': Buffer.concat([PIXEL, Buffer.alloc(800_000, 7)]) },
      input: { path: 'a.png' },
      output: 'File is binary, cannot read as text',
      isError: true,
    },
    {
      says: 'decided without loading the file',
      tool: 'read_file',
      files: { a: 'x'.repeat(2_000_000) },
      input: { path: 'a' },
      output: TOO_LARGE,
      isError: true,
      answer: { result: { meta: { tool: 'file_info' } } },
    },
    {
      says: 'a link to a file that is too large',
      tool: 'read_file',
      files: { a: 'x\n'.repeat(1_000_000) },
      prepare: ({ at }) => symlinkSync('a', at('link')),
      input: { path: 'link' },
      output: TOO_LARGE,
      isError: true,
    },
    {
      says: 'NUL byte => `File is binary, cannot read as text`',
      tool: 'read_file',
      files: { a: Buffer.from([65, 0, 66]) },
      input: { path: 'a' },
      output: BINARY,
      isError: true,
    },
    {
      says: 'NUL byte late in the file',
      tool: 'read_file',
      files: { a: `${'x\n'.repeat(50_000)}\0` },
      input: { path: 'a' },
      output: BINARY,
      isError: true,
    },
    {
      says: 'UTF-16 has NUL bytes',
      tool: 'read_file',
      files: { a: Buffer.from('\ufefftext', 'utf16le') },
      input: { path: 'a' },
      output: BINARY,
      isError: true,
    },
    {
      says: 'a picture',
      tool: 'read_file',
      files: { 'a.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
      input: { path: 'a.png' },
      output: BINARY,
      isError: true,
    },
    {
      says: '`[{name, path (from project root), is_dir, size, modified (unix s)}]`: folders first, then files, each alphabetical; hidden entries left out; one level',
      tool: 'list_dir',
      prepare: ({ at }) => utimesSync(at('d/a.txt'), 1_700_000_000.9, 1_700_000_000.9),
      files: { 'd/b.txt': '12', 'd/a.txt': '1', 'd/z/deep.txt': '', 'd/y/x': '', 'd/.hidden': '' },
      input: { path: 'd' },
      value: [
        { name: 'y', path: 'd/y', is_dir: true, size: expect.any(Number), modified: expect.any(Number) },
        { name: 'z', path: 'd/z', is_dir: true, size: expect.any(Number), modified: expect.any(Number) },
        { name: 'a.txt', path: 'd/a.txt', is_dir: false, size: 1, modified: 1_700_000_000 },
        { name: 'b.txt', path: 'd/b.txt', is_dir: false, size: 2, modified: expect.any(Number) },
      ],
    },
    {
      says: 'first 1,000 entries, then a `Truncated` warning',
      tool: 'list_dir',
      files: Object.fromEntries(Array.from({ length: 1_003 }, (_, index) => [`f${index}`, ''])),
      input: { path: '.' },
      output: /\]\nTruncated: /u,
      value: expect.toSatisfy((entries: unknown[]) => entries.length === 1_000),
    },
    {
      says: '`{is_clean, modified_files[], branch, has_remote}`',
      tool: 'git_status',
      prepare: ({ folder }) => {
        initRepository(folder, { 'a.txt': '1', 'b.txt': '1' });
        write(folder, { 'a.txt': '2', 'b.txt': '2', 'c.txt': '' });
        git(folder, 'add', 'b.txt');
        git(folder, 'remote', 'add', 'origin', 'https://example.com/x.git');
      },
      value: { is_clean: false, modified_files: ['b.txt', 'a.txt', 'c.txt'], branch: 'main', has_remote: true },
    },
    {
      says: 'clean',
      tool: 'git_status',
      prepare: ({ folder }) => initRepository(folder, { a: '' }),
      value: { is_clean: true, modified_files: [], branch: 'main', has_remote: false },
    },
    {
      says: 'detached HEAD: `DETACHED-HEAD`',
      tool: 'git_status',
      prepare: ({ folder }) => {
        initRepository(folder, { a: '' });
        git(folder, 'checkout', '-q', '--detach');
      },
      value: { is_clean: true, modified_files: [], branch: 'DETACHED-HEAD', has_remote: false },
    },
    {
      says: 'not a git repository: the run goes on with what there is',
      tool: 'git_status',
      output: /not a git repository.*still work|not a git repository.*work without/u,
      isError: true,
    },
    {
      says: '`[{sha, author, date, message, files[]}]`',
      tool: 'git_log',
      prepare: ({ folder }) => initRepository(folder, { 'a.txt': '', 'd/b.txt': '' }),
      value: [
        {
          sha: expect.stringMatching(/^[0-9a-f]{40}$/u),
          author: 'Ada',
          date: '2026-01-02T03:04:05+02:00',
          message: 'first',
          files: ['a.txt', 'd/b.txt'],
        },
      ],
    },
    ...(
      [
        ['default 20', {}, 20],
        ['at most 50', { limit: 500 }, 50],
        ['`limit?`', { limit: 3 }, 3],
      ] as const
    ).map(([says, input, count]) => ({
      says,
      tool: 'git_log',
      prepare: ({ folder }: TemporaryHands) => {
        initRepository(folder);
        const commits = Array.from(
          { length: 55 },
          (_, index) => `commit refs/heads/main\ncommitter A <a@b.c> ${1_700_000_000 + index} +0000\ndata 1\n${index % 10}\n`,
        );
        writeFileSync(join(folder, '.git', 'import'), commits.join(''));
        git(folder, '-c', 'alias.load=!git fast-import --quiet < .git/import', 'load');
      },
      input,
      value: expect.toSatisfy((commits: unknown[]) => commits.length === count),
    })),
    { says: 'an empty repository gives `[]`', tool: 'git_log', prepare: ({ folder }) => initRepository(folder), value: [], output: '[]' },
    {
      says: '`Project not tracked. Only tracked projects can be accessed.`',
      tool: 'read_file',
      input: { path: '/srv/other/file' },
      output: NOT_TRACKED,
      isError: true,
    },
    {
      says: 'not a system folder (/etc, /sys, /proc, /dev, /root and the like)',
      tool: 'list_dir',
      input: { path: '/etc' },
      output: NOT_TRACKED,
      isError: true,
    },
    {
      says: 'a tracked folder that is gone: `Project no longer exists`',
      tool: 'list_dir',
      prepare: ({ folder }) => rmSync(folder, { recursive: true }),
      input: { path: '.' },
      output: 'Project no longer exists',
      isError: true,
    },
    { says: 'inside the root', tool: 'read_file', input: { path: '../outside/x' }, output: /leaves the workspace/u, isError: true },
    {
      says: 'no link that leaves (`Symlink attack detected`)',
      tool: 'read_file',
      prepare: ({ outside, at }) => symlinkSync(outside, at('link')),
      input: { path: 'link/secret' },
      output: 'Symlink attack detected',
      isError: true,
    },
    {
      says: 'no link that leaves, as the last name',
      tool: 'read_file',
      prepare: ({ outside, at }) => {
        writeFileSync(join(outside, 'secret'), 'secret');
        symlinkSync(join(outside, 'secret'), at('link'));
      },
      input: { path: 'link' },
      output: 'Symlink attack detected',
      isError: true,
    },
    {
      says: 'an error test (`nonexistent.txt`): kind and useful, never a raw `ENOENT`',
      tool: 'read_file',
      input: { path: 'nonexistent.txt' },
      output: /^File not found: nonexistent\.txt\. Use /u,
      isError: true,
    },
    {
      says: 'a tool over 5 s gives a timeout that the model can react to',
      tool: 'git_status',
      prepare: ({ folder }) => initRepository(folder, { a: '' }),
      callOptions: { timeoutMs: 1 },
      output: /did not finish within/u,
      isError: true,
    },
  ]);

  checkContract('ronin', [
    {
      says: 'a stale answer is a defect',
      tool: 'git_status',
      prepare: async ({ folder, hands }) => {
        initRepository(folder, { a: '' });
        await hands.dialect('ronin').call('git_status');
        write(folder, { b: '' });
        commitAll(folder, 'second');
        write(folder, { b: 'changed' });
      },
      value: { is_clean: false, modified_files: ['b'], branch: 'main', has_remote: false },
    },
  ]);
});
