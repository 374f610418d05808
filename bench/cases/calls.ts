import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHands } from '@synapse/hands';
import { measure } from '../measure.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

/** Maximum milliseconds added to a plain read, everything included. */
const READ_BUDGET_MS = 0.15;

/** Compares calls in this process with plain `node:fs`. */
export async function callCases({ folder, state }: Scratch): Promise<Row[]> {
  await using hands = await createHands({ workspace: folder, stateFolder: state, allow: ['write'] });
  const must = async (name: string, input: unknown): Promise<void> => {
    const result = await hands.call(name, input);
    if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  };
  const compare = async (what: string, ours: () => Promise<unknown>, theirs: () => Promise<unknown>, perRound = 200) => ({
    what,
    timings: await measure(
      [
        { name: 'ours', run: ours },
        { name: 'peer', run: theirs },
      ],
      { rounds: 15, perRound },
    ),
  });
  const text = 'x'.repeat(4096);
  const results = [
    await compare(
      'read_file 4 KB | fs.promises.readFile',
      () => must('read_file', { path: 'f4k.txt' }),
      () => readFile(join(folder, 'f4k.txt'), 'utf8'),
    ),
    await compare(
      'write_file 4 KB | fs.promises.writeFile',
      () => must('write_file', { path: 'w4k.txt', content: text }),
      () => writeFile(join(folder, 'p4k.txt'), text),
      50,
    ),
    await compare(
      'list_directory 100 | fs.promises.readdir',
      () => must('list_directory', { path: 'd100' }),
      () => readdir(join(folder, 'd100'), { withFileTypes: true }),
      50,
    ),
  ];
  return results.map(({ what, timings: [ours, peer] }, index) => {
    const more = (ours?.median ?? 0) - (peer?.median ?? 0);
    return {
      group: 'Calls in one process',
      what: what.split(' | ')[0] ?? what,
      ours: time(ours?.median ?? 0),
      peer: `${time(peer?.median ?? 0)} (${what.split(' | ')[1] ?? ''})`,
      compared: `${more >= 0 ? '+' : '−'}${time(Math.abs(more))}`,
      target: index === 0 ? '≤ +150 µs' : '',
      met: index !== 0 || more <= READ_BUDGET_MS,
    };
  });
}
