import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** A workspace in which a command made files, in the workspace and in a new folder. */
async function setUp() {
  const bench = await temporaryHands({ a: 'old\n' }, { allow: ['exec', 'write'] });
  const call = async (tool: 'write_file' | 'run_command', input: Record<string, string>): Promise<string> => {
    const { ok, meta } = await bench.hands.call<string>(tool, input);
    expect(ok).toBe(true);
    return meta.callId;
  };
  const undo = async (id: string): Promise<boolean> => (await bench.hands.undo({ call: id })).ok;
  const made = await call('run_command', { command: 'mkdir d; echo made > d/b; echo made > b; echo made > a' });
  return { ...bench, call, undo, made };
}

type Later = (path: string) => readonly ['write_file' | 'run_command', Record<string, string>];

/** Calls on a file that are undone again. */
const LATER: Readonly<Record<string, Later>> = {
  write_file: (path: string) => ['write_file', { path, content: 'later\n' }],
  'a command': (path: string) => ['run_command', { command: `echo later > ${path}` }],
  'a command that deletes': (path: string) => ['run_command', { command: `rm ${path}` }],
};

describe.skipIf((await findBubblewrap()) === undefined)('a file of a command, after a later call on it was undone', () => {
  for (const path of ['a', 'b', 'd/b']) {
    it.each(Object.entries(LATER))(`${path}: is taken back, after %s`, async (_, later) => {
      await using bench = await setUp();
      for (let times = 0; times < 2; times += 1) expect(await bench.undo(await bench.call(...later(path)))).toBe(true);
      expect(await bench.undo(bench.made)).toBe(true);
      expect([existsSync(bench.at('d')), existsSync(bench.at('b')), readFileSync(bench.at('a'), 'utf8')]).toEqual([false, false, 'old\n']);
    });

    it.each(Object.entries(LATER))(`${path}: keeps what a person had changed in it before %s`, async (_, later) => {
      await using bench = await setUp();
      writeFileSync(bench.at(path), 'person\n');
      for (let times = 0; times < 2; times += 1) expect(await bench.undo(await bench.call(...later(path)))).toBe(true);
      expect(readFileSync(bench.at(path), 'utf8')).toBe('person\n');
      expect(await bench.undo(bench.made)).toBe(false);
      expect(readFileSync(bench.at(path), 'utf8')).toBe('person\n');
    });
  }
});
