import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { threadArguments } from './thread-options.ts';

it.each([
  [['--input-type=module', '--conditions=x'], ['--conditions=x']],
  [
    ['--conditions=x', '--input-type', 'module', '--no-warnings'],
    ['--conditions=x', '--no-warnings'],
  ],
  [['--conditions=x'], ['--conditions=x']],
  [
    ['--max-old-space-size=4096', '-C', 'x', '--title', 'y', '--import=z', '-r', './a.cjs'],
    ['-C', 'x', '--import=z', '-r', './a.cjs'],
  ],
  [['--expose-gc', '--stack-trace-limit=50', '--unhandled-rejections=strict', '--dns-result-order', 'ipv4first', '--inspect-port=0'], []],
])('a thread gets only the arguments about finding and loading files: %j', (given, expected) => {
  expect(threadArguments(given)).toEqual(expected);
});

it('a thread starts with what is left of the arguments', async () => {
  const given = ['--max-old-space-size=4096', '--conditions=x', '-C', 'y', '--no-warnings', '--preserve-symlinks', '--title=z', '--trace-sigint'];
  const worker = new Worker('', { eval: true, execArgv: threadArguments(given) });
  await expect(once(worker, 'exit')).resolves.toEqual([0]);
  expect(() => new Worker('', { eval: true, execArgv: given })).toThrow('--max-old-space-size');
});
