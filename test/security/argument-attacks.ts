import { existsSync } from 'node:fs';
import type { Attack } from './attack.ts';

/** E: arguments of the git tools. Code that a hostile repository makes git run is tested with the git tools. */
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

/** K: malformed and malicious arguments. Some cannot be sent through an interface that takes JSON text. */
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
  // Commands that are hard to understand hold no call: these blocked the process for minutes.
  { id: 'F30', tool: 'run_command', input: () => ({ command: `exit 0\n${'find . -exec '.repeat(30)}` }), verdict: 'contained' },
  { id: 'F30s', tool: 'run_command', input: () => ({ command: `exit 0\nsed '${'p;  '.repeat(120)}e' ok.txt` }), verdict: 'contained' },
  { id: 'F30d', tool: 'run_command', input: () => ({ command: `exit 0\n${'$('.repeat(32_000)}` }), verdict: 'contained' },
  { id: 'F30h', tool: 'run_command', input: () => ({ command: `exit 0\n${'<<a '.repeat(16_000)}` }), verdict: 'contained' },
  // L: jobs. Cases with two sessions or a running job are in packages/hands/src/jobs.
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
