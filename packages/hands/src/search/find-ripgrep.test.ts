import { expect, it } from 'vitest';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { bundledRipgrep, findRipgrep } from './find-ripgrep.ts';

const CWD: PinnedDirectory = {
  location: [],
  self: '.',
  at: String,
  child: () => CWD,
  [Symbol.dispose]: () => {},
};
const { signal } = new AbortController();
const NONE = async (): Promise<undefined> => undefined;

/** A machine whose rg prints this, or that has none. */
function machine(text: string | undefined): Processes {
  return {
    async run({ onOutput }) {
      if (text === undefined) throw new Error('no such program');
      onOutput('stdout', Buffer.from(text));
      return { exitCode: 0, signal: null, aborted: false, durationMs: 1, leftRunning: 0, survivors: 0, sandbox: 'none' };
    },
  };
}

it('takes the one from npm', async () => {
  expect(await findRipgrep(machine(undefined), CWD, signal)).toBe(await bundledRipgrep());
  expect(await bundledRipgrep()).toMatch(/rg(?:\.exe)?$/u);
});

it('else a recent one of the machine', async () => {
  expect(await findRipgrep(machine('ripgrep 13.0.0\n-SIMD'), CWD, signal, NONE)).toBe('rg');
});

it.each([undefined, 'ripgrep 12.1.1\n', 'something else'])('else says what to install (%j)', async (text) => {
  await expect(findRipgrep(machine(text), CWD, signal, NONE)).rejects.toMatchObject({
    code: 'unavailable',
    hint: expect.stringContaining('install ripgrep 13'),
  });
});
