import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isSynapseError } from '@synapse/protocol';
import { afterEach, expect, it, vi } from 'vitest';
import { blameFile } from '../blame/blame-file.ts';
import { workspaceId } from '../state/state-folder.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { PastWorkspace } from './past-workspace.ts';

afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;

class World implements AsyncDisposable {
  readonly #at: TemporaryHands;

  constructor(at: TemporaryHands) {
    this.#at = at;
  }

  static async open(files: Record<string, string> = { 'a.txt': '0\n' }): Promise<World> {
    return new World(await temporaryHands(files));
  }

  get state(): string {
    return join(this.#at.folder, '..', 'state');
  }

  get journal(): string {
    return join(this.state, 'journal', workspaceId(this.#at.folder), 'journal.db');
  }

  readonly at = (path: string): string => this.#at.at(path);

  async call(tool: string, input: object): Promise<string> {
    const result = await this.#at.hands.call<string>(tool, input);
    if (!result.ok) throw new Error(result.error.message);
    await new Promise((resolve) => setImmediate(resolve));
    return result.meta.callId;
  }

  async write(content: string, path = 'a.txt'): Promise<string> {
    return await this.call('write_file', { path, content });
  }

  /** A file before or after a call, or the error. */
  read(call: string, side: 'before' | 'after', path = 'a.txt'): string {
    return told(() => {
      using past = PastWorkspace.open(this.#at.folder, this.state, call, side);
      return past.read(path).bytes.toString();
    });
  }

  async blame(path = 'a.txt'): Promise<string | string[]> {
    const lines = async (): Promise<string[]> =>
      (await blameFile(this.#at.folder, this.state, path)).map(({ text, by, call }) => `${text}: ${call ?? by}`);
    return await toldLater(lines);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#at[Symbol.asyncDispose]();
  }
}

async function toldLater<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    return told(() => {
      throw error;
    });
  }
}

function told<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return `${error.message} ${error.hint ?? ''}`;
  }
}

it('says where a pruned journal ends, and what is not known any more', async () => {
  await using world = await World.open();
  const first = await world.write('0\n1\n');
  const [second, third] = [await world.write('0\n1\n2\n'), await world.write('0\n1\n2\n3\n')];
  {
    const database = new DatabaseSync(world.journal);
    database.exec('PRAGMA foreign_keys = ON; DELETE FROM entry WHERE id <= 2');
    database.close();
  }
  expect(world.read(first, 'before')).toMatch(
    new RegExp(`^The undo journal does not reach back to the call ${first}. It reaches back to the call ${third},`, 'u'),
  );
  expect(world.read(second, 'after')).toBe('0\n1\n2\n');
  expect(await world.blame()).toEqual(['0: unknown', '1: unknown', '2: unknown', `3: ${third}`]);
});

it('puts calls in the order of the log, whatever the clock says', async () => {
  await using world = await World.open();
  vi.useFakeTimers({ toFake: ['Date'] });
  const start = Date.now();
  const first = await world.write('0\n1\n');
  vi.setSystemTime(start - 2 * HOUR_MS);
  const reading = await world.call('read_file', { path: 'a.txt' });
  const second = await world.write('0\n1\n2\n');
  vi.setSystemTime(start + HOUR_MS);
  const listing = await world.call('list_directory', { path: '.' });
  vi.setSystemTime(start - HOUR_MS);
  const third = await world.write('0\n1\n2\n3\n');
  const seen = [first, reading, second, listing, third].map((call) => [world.read(call, 'before'), world.read(call, 'after')]);
  expect(seen).toEqual([
    ['0\n', '0\n1\n'],
    ['0\n1\n', '0\n1\n'],
    ['0\n1\n', '0\n1\n2\n'],
    ['0\n1\n2\n', '0\n1\n2\n'],
    ['0\n1\n2\n', '0\n1\n2\n3\n'],
  ]);
  expect(await world.blame()).toEqual(['0: before', `1: ${first}`, `2: ${second}`, `3: ${third}`]);
});

it.each(['not JSON', '[{"kind":"set"}]', '[null]'])('names a damaged entry of the journal: %s', async (steps) => {
  await using world = await World.open();
  const [first, second, third] = [await world.write('0\n1\n'), await world.write('0\n1\n2\n'), await world.write('0\n1\n2\n3\n')];
  const database = new DatabaseSync(world.journal);
  database.prepare('UPDATE entry SET steps = ? WHERE id = 2').run(steps);
  database.close();
  const damaged = /^An entry of the undo journal is damaged: that of the call \S+\. Nothing earlier/u;
  expect(world.read(first, 'before')).toMatch(damaged);
  expect(world.read(second, 'before')).toMatch(damaged);
  // What is later does not need it.
  expect(world.read(third, 'before')).toBe('0\n1\n2\n');
  expect(await world.blame()).toEqual(['0: unknown', '1: unknown', '2: unknown', `3: ${third}`]);
});

it('shows the file at its place although something else is there now', async () => {
  await using world = await World.open();
  const [first] = [await world.write('0\n1\n'), await world.write('0\n1\n2\n')];
  rmSync(world.at('a.txt'));
  mkdirSync(world.at('a.txt'));
  writeFileSync(world.at('a.txt/inside'), 'inside\n');
  expect(world.read(first, 'before')).toBe('0\n');
  expect(await world.blame()).toMatch(/^File not found: a\.txt/u);
  rmSync(world.at('a.txt'), { recursive: true });
  symlinkSync('/etc/passwd', world.at('a.txt'));
  expect(world.read(first, 'before')).toBe('0\n');
  expect(await world.blame()).toMatch(/^a\.txt is outside the workspace/u);
  rmSync(world.at('a.txt'));
  expect(world.read(first, 'after')).toBe('0\n1\n');
  expect(await world.blame()).toMatch(/^File not found: a\.txt/u);
});

it('follows names that are not UTF-8', async () => {
  await using world = await World.open({ 'plain.txt': '0\n' });
  const bytes = Buffer.concat([Buffer.from(`${world.at('')}/`), Buffer.from([0x66, 0xff, 0x2e, 0x74])]);
  renameSync(world.at('plain.txt'), bytes);
  const path = String.raw`f\xff.t`;
  const [first, second] = [await world.write('0\n1\n', path), await world.call('run_command', { command: 'for f in *.t; do echo 2 >> "$f"; done' })];
  expect(readdirSync(world.at(''), 'buffer')).toHaveLength(1);
  expect(world.read(first, 'before', path)).toBe('0\n');
  expect(world.read(second, 'before', path)).toBe('0\n1\n');
  expect(await world.blame(path)).toEqual(['0: before', `1: ${first}`, `2: ${second}`]);
});
