import { existsSync, lstatSync } from 'node:fs';
import { path, write, type Attack } from './attack.ts';

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
