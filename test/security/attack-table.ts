import { existsSync, lstatSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Place } from './place.ts';

/** What must come of an attack. */
export type Verdict =
  /** Refused with a typed error before any effect. */
  | 'deny'
  /** Treated as plain data; there is no such thing. */
  | 'missing'
  /** Works: a guard against false alarms. */
  | 'allow'
  /** Works, and the answer is bounded. */
  | 'limit'
  /** Refused or worked, as long as nothing leaks and nothing outside changes. */
  | 'contained';

/** One attack. */
export interface Attack {
  readonly id: string;
  readonly tool: string;
  readonly input: (place: Place) => unknown;
  readonly verdict: Verdict;
  /** Text that the answer must hold. */
  readonly says?: string;
  /** What must be so afterwards. */
  readonly after?: (place: Place) => boolean;
  /** What the row needs that a machine may lack. */
  readonly needs?: (place: Place) => boolean;
}

const path = (id: string, verdict: Verdict, name: string | ((place: Place) => string), says?: string): Attack => ({
  id,
  tool: 'read_file',
  input: (place) => ({ path: typeof name === 'string' ? name : name(place) }),
  verdict,
  ...(says === undefined ? {} : { says }),
});

const write = (id: string, verdict: Verdict, name: string | ((place: Place) => string), after?: Attack['after']): Attack => ({
  id,
  tool: 'write_file',
  input: (place) => ({ path: typeof name === 'string' ? name : name(place), content: 'written by a tool\n' }),
  verdict,
  ...(after === undefined ? {} : { after }),
});

/** A: path strings. */
export const PATH_STRINGS: readonly Attack[] = [
  path('A01', 'deny', '../outside/s.txt'),
  path('A02', 'deny', ({ root }) => `${root}/../outside/s.txt`),
  path('A03', 'deny', 'd/../../outside/s.txt'),
  path('A04', 'deny', ({ root }) => `${root}//..//outside/s.txt`),
  path('A05', 'deny', ({ root }) => `${root}-evil/s.txt`),
  path('A07', 'deny', '//etc/passwd'),
  path('A07b', 'deny', '/etc/passwd'),
  path('A08', 'missing', '~/.bashrc'),
  // Not expanded; and where it is taken for what it says, the name of a key asks first.
  path('A10', 'deny', '$HOME/.ssh/id_rsa'),
  path('A10b', 'missing', '${HOME}/x'),
  path('A10c', 'missing', '%USERPROFILE%'),
  path('A11', 'missing', '%2e%2e/outside/s.txt'),
  path('A13', 'missing', '%252e%252e/outside/s.txt'),
  path('A14', 'missing', '..%c0%afoutside/s.txt'),
  path('A16', 'deny', 'ok.txt\0.png'),
  write('A17', 'deny', 'nul\0l'),
  path('A19', 'missing', '‥/x'),
  path('A19b', 'missing', '․․/x'),
  path('A20', 'missing', 'ok.txt\u200b'),
  write('A20w', 'deny', 'invisible\u200b.txt'),
  path('A22', 'allow', 'line\nbreak.txt', 'newline in my name'),
  write('A22w', 'deny', 'new\nline.txt'),
  write('A22r', 'deny', 'carriage\rreturn.txt'),
  write('A23', 'deny', '\u001b]0;x\u0007.txt'),
  { id: 'A23l', tool: 'list_directory', input: () => ({ path: '.' }), verdict: 'allow', says: '\\x1b]0;owned\\x07.txt' },
  path('A25', 'missing', 'OK.TXT'),
  write('A26', 'deny', '.GIT/config'),
  write('A26b', 'deny', '.Git/hooks/x'),
  write('A28', 'deny', 'GIT~1/config'),
  path('A29', 'missing', 'ok.txt::$DATA'),
  path('A31', 'missing', '\\\\host\\share\\x'),
  path('A32', 'missing', '\\\\?\\C:\\x'),
  path('A32b', 'deny', '//./pipe/x'),
  path('A34', 'missing', '..\\outside\\s.txt'),
  path('A35', 'deny', ''),
  path('A35b', 'deny', ' '),
  path('A35c', 'deny', '.'),
  path('A35d', 'missing', '-'),
  path('A37', 'deny', 'ldir/'),
  path('A37b', 'deny', 'ldir/./s.txt'),
  path('A38', 'deny', 'x'.repeat(300)),
  path('A38b', 'deny', 'x/'.repeat(5_000)),
  { id: 'A40', tool: 'list_directory', input: () => ({ path: 'deep', depth: 10 }), verdict: 'allow' },
  {
    id: 'A40d',
    tool: 'delete_directory',
    input: () => ({ path: 'deep', recursive: true }),
    verdict: 'allow',
    after: ({ at }) => !existsSync(at('deep')),
  },
  { id: 'A41', tool: 'list_directory', input: () => ({}), verdict: 'allow', says: 'bad-\\xff\\xfe' },
  path('A41r', 'allow', 'bad-\\xff\\xfe', 'bytes in my name'),
  { id: 'A41d', tool: 'delete_file', input: () => ({ path: 'bad-\\xff\\xfe' }), verdict: 'allow' },
  ...[3, ['ok.txt'], { a: 1 }, null, true].map((value, index): Attack => ({
    id: `A43${index}`,
    tool: 'read_file',
    input: () => ({ path: value }),
    verdict: 'deny',
  })),
  path('A43s', 'deny', '\ud800'),
];

/** B: links, /proc and hard links. */
export const LINKS: readonly Attack[] = [
  path('B01', 'deny', 'lfile'),
  path('B02', 'deny', 'ldir/s.txt'),
  path('B03', 'deny', 'two/s.txt'),
  path('B04', 'deny', 'rel/s.txt'),
  path('B04b', 'deny', 'relfile'),
  path('B05', 'deny', 'procroot/s.txt'),
  path('B07', 'deny', 'fd0'),
  path('B07b', 'deny', 'stdin'),
  path('B08', 'deny', 'cwd/package.json'),
  path('B08b', 'deny', 'taskroot/s.txt'),
  path('B10', 'deny', 'chain44'),
  path('B10b', 'allow', 'chain10', 'fine'),
  path('B10c', 'deny', 'loop'),
  path('B11', 'allow', 'in/real.txt', 'real'),
  path('B11b', 'allow', 'infile', 'real'),
  path('B11c', 'missing', 'in/missing.txt'),
  path('B12', 'deny', 'dangling'),
  path('B12b', 'deny', 'dangling-dir/x'),
  write('B13', 'deny', 'vfile'),
  write('B13b', 'deny', 'ldir/new.txt'),
  write('B13c', 'deny', 'dangling'),
  write('B13d', 'deny', 'dangling-dir/new.txt'),
  write('B13e', 'allow', 'infile', ({ at }) => lstatSync(at('infile')).isSymbolicLink()),
  { id: 'B14', tool: 'edit_file', input: () => ({ path: 'vfile', edits: [{ old_text: 'SECRET', new_text: 'x' }] }), verdict: 'deny' },
  {
    id: 'B14p',
    tool: 'apply_patch',
    input: () => ({ patch: '*** Begin Patch\n*** Update File: ldir/v.txt\n@@\n-SECRET\n+x\n*** End Patch' }),
    verdict: 'deny',
  },
  {
    id: 'B14a',
    tool: 'apply_patch',
    input: () => ({ patch: '*** Begin Patch\n*** Add File: ../outside/new.txt\n+x\n*** End Patch' }),
    verdict: 'deny',
  },
  { id: 'B16', tool: 'move_path', input: () => ({ from: 'ok.txt', to: 'ldir/moved.txt' }), verdict: 'deny' },
  { id: 'B16b', tool: 'move_path', input: () => ({ from: 'ldir/s.txt', to: 'stolen.txt' }), verdict: 'deny' },
  { id: 'B16c', tool: 'move_path', input: () => ({ from: 'ok.txt', to: '../outside/moved.txt' }), verdict: 'deny' },
  {
    id: 'B17',
    tool: 'move_path',
    input: () => ({ from: 'two', to: 'sub/two' }),
    verdict: 'allow',
    after: ({ at }) => lstatSync(at('sub/two')).isSymbolicLink(),
  },
  { id: 'B18', tool: 'delete_file', input: () => ({ path: 'relfile' }), verdict: 'allow', after: ({ at }) => !existsSync(at('relfile')) },
  { id: 'B18b', tool: 'delete_file', input: () => ({ path: 'ldir/v.txt' }), verdict: 'deny' },
  { id: 'B18c', tool: 'delete_directory', input: () => ({ path: 'ldir', recursive: true }), verdict: 'deny' },
  { id: 'B18d', tool: 'delete_directory', input: () => ({ path: '.', recursive: true }), verdict: 'deny' },
  { id: 'B18e', tool: 'create_directory', input: () => ({ path: 'ldir/made' }), verdict: 'deny' },
  { id: 'B18f', tool: 'create_directory', input: () => ({ path: '../outside/made' }), verdict: 'deny' },
  { id: 'B20', tool: 'list_directory', input: () => ({ path: 'ldir' }), verdict: 'deny' },
  { id: 'B20l', tool: 'list_directory', input: () => ({ path: '.', depth: 3, hidden: true }), verdict: 'limit' },
  { id: 'B20i', tool: 'file_info', input: () => ({ path: 'ldir/s.txt' }), verdict: 'deny' },
  { id: 'B20s', tool: 'search_text', input: () => ({ pattern: 'SECRET' }), verdict: 'allow' },
  { id: 'B20t', tool: 'search_text', input: () => ({ pattern: 'SECRET', path: 'ldir' }), verdict: 'deny' },
  { id: 'B20u', tool: 'search_text', input: () => ({ pattern: 'SECRET', path: '../outside' }), verdict: 'deny' },
  { id: 'B20f', tool: 'find_files', input: () => ({ glob: '../**' }), verdict: 'deny' },
  { id: 'B20g', tool: 'find_files', input: () => ({ glob: '**/s.txt' }), verdict: 'allow' },
  { id: 'B20h', tool: 'find_files', input: () => ({ glob: '**', path: 'ldir' }), verdict: 'deny' },
  { id: 'B25', tool: 'write_file', input: () => ({ path: 'hard.txt', content: 'changed\n' }), verdict: 'allow' },
  write('B35', 'deny', '.'),
  write('B35b', 'deny', ({ root }) => root),
];

/** C: special files, sizes and resources. */
export const RESOURCES: readonly Attack[] = [
  path('C01', 'deny', 'fifo'),
  ...[1, 2, 3, 4, 5].map((index) => path(`C02-${index}`, 'deny', 'fifo')),
  path('C02', 'allow', 'ok.txt'),
  write('C03', 'deny', 'fifo', ({ at }) => lstatSync(at('fifo')).isFIFO()),
  { ...path('C04', 'deny', 'zero-device'), needs: ({ at }) => existsSync(at('zero-device')) },
  path('C05', 'deny', 'zero'),
  path('C07', 'deny', 'socket'),
  write('C07w', 'deny', 'socket', ({ at }) => lstatSync(at('socket')).isSocket()),
  path('C08', 'deny', 'sparse.bin'),
  path('C10', 'limit', 'one-line.txt'),
  { id: 'C11', tool: 'read_file', input: () => ({ path: 'one-line.txt', offset: 1, limit: 5 }), verdict: 'limit' },
  { id: 'C11t', tool: 'read_file', input: () => ({ path: 'one-line.txt', offset: -5 }), verdict: 'limit' },
  { id: 'C11e', tool: 'edit_file', input: () => ({ path: 'one-line.txt', edits: [{ old_text: 'xxy', new_text: 'z' }] }), verdict: 'deny' },
  { id: 'C16', tool: 'list_directory', input: () => ({ path: '.', depth: 10, hidden: true }), verdict: 'limit' },
  { id: 'C17', tool: 'find_files', input: () => ({ glob: '{a,b}'.repeat(18) }), verdict: 'contained' },
  { id: 'C19', tool: 'find_files', input: () => ({ glob: '{'.repeat(200) + 'a' + '}'.repeat(200) }), verdict: 'contained' },
  { id: 'C20', tool: 'search_text', input: () => ({ pattern: '(a+)+$', path: 'many' }), verdict: 'allow' },
  { id: 'C21', tool: 'search_text', input: () => ({ pattern: '(?:a{1000}){1000}', path: 'many' }), verdict: 'deny' },
  { id: 'C22', tool: 'search_text', input: () => ({ pattern: '(?<=x)y', path: 'many' }), verdict: 'deny' },
  { id: 'C23', tool: 'search_text', input: () => ({ pattern: '--pre=/bin/sh', path: 'many' }), verdict: 'allow' },
  { id: 'C23b', tool: 'search_text', input: () => ({ pattern: '-f/etc/passwd', path: 'many' }), verdict: 'allow' },
  { id: 'C23c', tool: 'search_text', input: () => ({ pattern: 'x', path: '--hostname-bin=/bin/id' }), verdict: 'missing' },
  { id: 'C23d', tool: 'search_text', input: () => ({ pattern: 'x', glob: '--pre=/bin/sh', path: 'many' }), verdict: 'contained' },
  { id: 'C25', tool: 'search_text', input: () => ({ pattern: 'xxx', path: 'one-line.txt' }), verdict: 'limit' },
  { id: 'C26', tool: 'search_text', input: () => ({ pattern: 'needle' }), verdict: 'limit' },
  {
    id: 'C28',
    tool: 'edit_file',
    input: () => ({ path: 'd/real.txt', edits: [{ old_text: 'real', new_text: "$& $1 $` $'" }] }),
    verdict: 'contained',
  },
  { id: 'C29', tool: 'write_file', input: () => ({ path: 'big.txt', content: 'x'.repeat(9 * 1024 * 1024) }), verdict: 'deny' },
];

/** D: files that become code later. */
export const PERSISTENCE: readonly Attack[] = [
  write('D01', 'deny', '.git/hooks/pre-commit', ({ at }) => !existsSync(at('.git/hooks/pre-commit'))),
  write('D02', 'deny', '.git/config'),
  write('D02l', 'deny', 'gitlink/config'),
  write('D04', 'deny', 'sub/.git', ({ at }) => !existsSync(at('sub/.git'))),
  write('D05', 'deny', 'sub/.git/hooks/x', ({ at }) => !existsSync(at('sub/.git'))),
  { id: 'D05m', tool: 'move_path', input: () => ({ from: 'd', to: 'sub/.git' }), verdict: 'deny' },
  {
    id: 'D05n',
    tool: 'create_directory',
    input: () => ({ path: 'sub/.git/hooks' }),
    verdict: 'deny',
    after: ({ at }) => !existsSync(at('sub/.git')),
  },
  {
    id: 'D05p',
    tool: 'apply_patch',
    input: () => ({ patch: '*** Begin Patch\n*** Add File: .git/hooks/post-commit\n+#!/bin/sh\n*** End Patch' }),
    verdict: 'deny',
    after: ({ at }) => !existsSync(at('.git/hooks/post-commit')),
  },
  {
    id: 'D06',
    tool: 'delete_directory',
    input: () => ({ path: '.git', recursive: true }),
    verdict: 'deny',
    after: ({ at }) => existsSync(at('.git')),
  },
  { id: 'D06b', tool: 'delete_file', input: () => ({ path: '.git/config' }), verdict: 'deny' },
  { id: 'D06c', tool: 'move_path', input: () => ({ from: '.git', to: 'git-moved' }), verdict: 'deny' },
  write('D07', 'allow', '.gitattributes'),
  ...[
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.devcontainer/devcontainer.json',
    '.mcp.json',
    '.claude/settings.json',
    '.cursor/mcp.json',
    '.envrc',
    '.bashrc',
    '.npmrc',
    '.husky/pre-commit',
    '.roo/mcp.json',
    '.roomodes',
    '.kiro/settings/mcp.json',
    '.amazonq/mcp.json',
    '.amp/settings.json',
    '.windsurf/hooks.json',
    '.aider.conf.yml',
    '.cargo/config.toml',
    '.exrc',
    '.github/agents/x.agent.md',
    '.github/mcp.json',
  ].map((name): Attack => write(`D08 ${name}`, 'deny', name, ({ at }) => !existsSync(at(name)))),
  write('D10', 'allow', 'Makefile'),
  { ...write('D17', 'allow', 'AGENTS.md'), says: 'AGENTS.md is read as instructions' },
];

/** A bare repository that a person's `git status` obeys, and the pieces of which alone are harmless. */
const PIECES: readonly Attack[] = [
  { id: 'D12a', tool: 'write_file', input: () => ({ path: 'look/HEAD', content: 'ref: refs/heads/main\n' }), verdict: 'allow' },
  {
    id: 'D12b',
    tool: 'write_file',
    input: () => ({ path: 'look/config', content: '[core]\n\tworktree = .\n\tfsmonitor = ./evil\n' }),
    verdict: 'allow',
  },
  { id: 'D12c', tool: 'create_directory', input: () => ({ path: 'look/objects' }), verdict: 'allow' },
  {
    id: 'D12',
    tool: 'create_directory',
    input: () => ({ path: 'look/refs' }),
    verdict: 'deny',
    says: 'core.worktree, core.fsmonitor',
    after: ({ at }) => !existsSync(at('look/refs')),
  },
  {
    id: 'D12m',
    tool: 'move_path',
    input: () => ({ from: 'sub', to: 'look/refs' }),
    verdict: 'deny',
    after: ({ at }) => !existsSync(at('look/refs')),
  },
  write('D12w', 'deny', 'look/refs/heads/main', ({ at }) => !existsSync(at('look/refs'))),
];

/** Orders that go along with a folder under another name. */
const MOVES: readonly Attack[] = [
  write('D15a', 'allow', 'cargo-parts/config.toml'),
  {
    id: 'D15',
    tool: 'move_path',
    input: () => ({ from: 'cargo-parts', to: '.cargo' }),
    verdict: 'deny',
    after: ({ at }) => !existsSync(at('.cargo')),
  },
  write('D15b', 'allow', 'copilot/agents/x.agent.md'),
  {
    id: 'D15g',
    tool: 'move_path',
    input: () => ({ from: 'copilot', to: '.github' }),
    verdict: 'deny',
    after: ({ at }) => !existsSync(at('.github')),
  },
  { id: 'D15c', tool: 'move_path', input: () => ({ from: 'copilot', to: 'github' }), verdict: 'allow' },
];

/** E: the git tools' arguments. What a hostile repository makes git run is tested beside the git tools. */
export const GIT_ARGUMENTS: readonly Attack[] = [
  { id: 'E20', tool: 'git_diff', input: ({ outside }) => ({ revision: `--output=${outside}/x` }), verdict: 'deny' },
  { id: 'E20l', tool: 'git_log', input: () => ({ revision: '--output=../outside/x' }), verdict: 'deny' },
  { id: 'E20s', tool: 'git_show', input: () => ({ revision: '--ext-diff' }), verdict: 'deny' },
  { id: 'E20b', tool: 'git_blame', input: () => ({ path: 'ok.txt', revision: '--contents=/etc/passwd' }), verdict: 'deny' },
  { id: 'E20n', tool: 'git_diff', input: () => ({ revision: '--no-index' }), verdict: 'deny' },
  { id: 'E22', tool: 'git_diff', input: () => ({ path: '/etc/passwd' }), verdict: 'deny' },
  { id: 'E23', tool: 'git_log', input: () => ({ path: '../outside/s.txt' }), verdict: 'deny' },
  { id: 'E23b', tool: 'git_blame', input: () => ({ path: '../outside/s.txt' }), verdict: 'deny' },
  { id: 'E23c', tool: 'git_show', input: () => ({ revision: 'HEAD', path: '../outside/s.txt' }), verdict: 'deny' },
  { id: 'E28', tool: 'git_log', input: () => ({ revision: '$(touch x)' }), verdict: 'deny', after: ({ at }) => !existsSync(at('x')) },
  { id: 'E29', tool: 'git_log', input: () => ({ limit: 10_000_000 }), verdict: 'deny' },
  { id: 'E30', tool: 'git_status', input: () => ({}), verdict: 'allow' },
];

/** K: malformed and malicious arguments. Some cannot be told over a door that takes JSON text. */
export const ARGUMENTS: readonly Attack[] = [
  {
    id: 'K01',
    tool: 'read_file',
    input: () => JSON.parse('{"path":"ok.txt","__proto__":{"isAdmin":true}}') as unknown,
    verdict: 'deny',
    after: () => !('isAdmin' in {}),
  },
  { id: 'K01c', tool: 'read_file', input: () => ({ path: 'ok.txt', constructor: { prototype: {} } }), verdict: 'deny' },
  { id: 'K03', tool: 'read_file', input: () => ({ path: 'ok.txt', unknown: 1 }), verdict: 'deny', says: 'unknown field' },
  { id: 'K03m', tool: 'read_file', input: () => ({}), verdict: 'deny', says: 'path is missing' },
  { id: 'K04', tool: 'read_file', input: () => ({ path: 'x'.repeat(10_000_000) }), verdict: 'deny', says: 'path' },
  { id: 'K05', tool: 'read_file', input: () => ({ path: 'ok.txt', offset: Number.MAX_SAFE_INTEGER + 1 }), verdict: 'deny' },
  { id: 'K05b', tool: 'read_file', input: () => ({ path: 'ok.txt', offset: 1.5 }), verdict: 'deny' },
  { id: 'K07', tool: 'write_file', input: () => ({ path: 'lone.txt', content: 'a\udc00b' }), verdict: 'deny', says: 'content' },
  { id: 'K08', tool: 'read_file', input: () => ({ path: 'ok.txt', toString: 'x', then: 'y' }), verdict: 'deny' },
  { id: 'K09', tool: 'raed_file', input: () => ({ path: 'ok.txt' }), verdict: 'deny', says: 'read_file' },
  { id: 'K09b', tool: '__proto__', input: () => ({}), verdict: 'deny' },
  { id: 'K09c', tool: 'constructor', input: () => ({}), verdict: 'deny' },
  { id: 'F37', tool: 'run_command', input: () => ({ command: 'true', timeout_ms: 0 }), verdict: 'deny' },
  { id: 'F37b', tool: 'run_command', input: () => ({ command: 'true', timeout_ms: 1e12 }), verdict: 'deny' },
  { id: 'F37c', tool: 'run_command', input: () => ({ command: 'true', timeout_ms: '5 s' }), verdict: 'deny' },
  { id: 'F28', tool: 'run_command', input: () => ({ command: 'cat s.txt', cwd: 'ldir' }), verdict: 'deny' },
  { id: 'F28b', tool: 'run_command', input: () => ({ command: 'cat s.txt', cwd: '../outside' }), verdict: 'deny' },
  { id: 'F29', tool: 'run_command', input: () => ({ command: `true ${'x'.repeat(3_000_000)}` }), verdict: 'deny' },
  // L: jobs. What takes two sessions or a running job is in packages/hands/src/jobs.
  { id: 'L01', tool: 'run_command', input: () => ({ command: 'cat s.txt', cwd: 'ldir', background: true }), verdict: 'deny' },
  { id: 'L01b', tool: 'run_command', input: () => ({ command: 'cat s.txt', cwd: '../outside', background: true }), verdict: 'deny' },
  { id: 'L02', tool: 'job', input: () => ({ action: 'output', id: 'job-00000000' }), verdict: 'missing' },
  { id: 'L02b', tool: 'job', input: () => ({ action: 'output', id: '../../../outside/s' }), verdict: 'missing' },
  { id: 'L02c', tool: 'job', input: ({ outside }) => ({ action: 'output', id: `${outside}/s.txt` }), verdict: 'missing' },
  { id: 'L02d', tool: 'job', input: () => ({ action: 'stop', id: '*' }), verdict: 'missing' },
  { id: 'L02e', tool: 'job', input: () => ({ action: 'stop', id: '__proto__' }), verdict: 'missing' },
  { id: 'L03', tool: 'job', input: () => ({ action: 'output', id: 'job-00000000', cursor: -1 }), verdict: 'deny', says: 'cursor' },
  { id: 'L03b', tool: 'job', input: () => ({ action: 'output', id: 'job-00000000', cursor: 1.5 }), verdict: 'deny', says: 'cursor' },
  { id: 'L03c', tool: 'job', input: () => ({ action: 'output', id: 'job-00000000', cursor: 1e300 }), verdict: 'deny', says: 'cursor' },
  { id: 'L04', tool: 'job', input: () => ({ action: 'signal', id: 'job-00000000', signal: 'KILL; id' }), verdict: 'deny', says: 'signal' },
  { id: 'L05', tool: 'job', input: () => ({ action: 'input', id: 'job-00000000', text: 'cat ../outside/s.txt' }), verdict: 'missing' },
];

const page = (id: string, url: string, says?: string): Attack => ({
  id,
  tool: 'fetch_url',
  input: () => ({ url }),
  verdict: 'deny',
  ...(says === undefined ? {} : { says }),
});

/** H: addresses that must not be fetched, though every host is allowed. */
const ADDRESSES: readonly Attack[] = [
  ...['http://127.0.0.1/', 'http://localhost/', 'http://LOCALHOST./', 'http://foo.localhost/'].map((url, index) => page(`H01-${index}`, url)),
  ...['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/', 'http://0/'].map((url, index) => page(`H02-${index}`, url)),
  ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'].map((url, index) => page(`H04-${index}`, url)),
  ...['http://[::127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/'].map((url, index) => page(`H05-${index}`, url)),
  ...['http:127.0.0.1', 'http:/127.0.0.1', 'http://\t127.0.0.1/'].map((url, index) => page(`H07-${index}`, url, 'url')),
  page('H08', 'http://169.254.169.254/latest/meta-data/', 'metadata'),
  ...['http://[fd00:ec2::254]/', 'http://100.100.100.200/', 'http://168.63.129.16/', 'http://192.0.0.192/'].map((url, index) =>
    page(`H08-${index}`, url),
  ),
  page('H13', 'file:///etc/passwd', 'url'),
  ...['http://user:pass@1.1.1.1/', 'http://allowed.com@127.0.0.1/', 'http://127.0.0.1\\@allowed.com'].map((url, index) =>
    page(`H16-${index}`, url, 'url'),
  ),
  ...['22', '25', '6379', '11211', '2375'].map((port) => page(`H19-${port}`, `http://1.1.1.1:${port}/`, 'Port')),
  // Whatever addresses this machine has, public ones too; address-reach.test.ts has the controls.
  ...Object.values(networkInterfaces())
    .flatMap((infos) => infos ?? [])
    .filter(({ address, family }) => family === 'IPv4' || !address.startsWith('fe80:'))
    .map(({ address, family }, index) => page(`H21-${index}`, `http://${family === 'IPv6' ? `[${address}]` : address}/`, 'leads to')),
  page('H20', 'http://1.1.1.1/\r\nHost: 127.0.0.1', 'url'),
];

export const ATTACKS: readonly Attack[] = [
  ...PATH_STRINGS,
  ...LINKS,
  ...RESOURCES,
  ...PERSISTENCE,
  ...PIECES,
  ...MOVES,
  ...GIT_ARGUMENTS,
  ...ARGUMENTS,
  ...ADDRESSES,
];
