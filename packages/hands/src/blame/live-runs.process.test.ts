import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { blameFile } from './blame-file.ts';
import { writerText } from './writer-text.ts';

const PERSON = 'a person or another program';

class World {
  readonly at: TemporaryHands;
  readonly names = new Map<string, string>();

  constructor(at: TemporaryHands) {
    this.at = at;
  }

  async call(name: string, tool: string, input: object): Promise<string> {
    const result = await this.at.hands.call<string>(tool, input);
    if (!result.ok) throw new Error(result.error.message);
    this.names.set(result.meta.callId.slice(0, 8), name);
    // What a call left is kept at the end of the turn in which it was answered.
    await new Promise((resolve) => setImmediate(resolve));
    return /job-[\da-f]{8}/u.exec(result.output)?.[0] ?? '';
  }

  /** Each line with who wrote it. */
  async blame(path: string): Promise<string[]> {
    return (await blameFile(this.at.folder, join(this.at.folder, '..', 'state'), path)).map((line) => {
      const who = writerText(line).replaceAll(/(?:run_command|edit_file|write_file) ([\da-f]{8})/gu, (_, id: string) => this.names.get(id) ?? id);
      return `${line.text}: ${who}`;
    });
  }

  /** Ends a job that waits for a line, and waits for its end. */
  async end(job: string): Promise<void> {
    await this.call('input', 'job', { action: 'input', id: job, text: 'go\n' });
    await this.call('wait', 'job', { action: 'wait', id: job, timeout_ms: 60_000 });
  }
}

const LIVE = { live: true };
const JOB = { background: true };

it('names the command in the workspace itself that may have written a line, and none that certainly did not', async () => {
  await using at = await temporaryHands({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  const world = new World(at);
  await world.call('edit', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1' }] });
  await world.call('other', 'run_command', { command: 'echo new > other.txt', ...LIVE });
  await world.call('live', 'run_command', { command: 'echo live >> a.txt', ...LIVE });
  await world.call('after', 'run_command', { command: 'echo more >> b.txt', ...LIVE });
  // Not `other` and not `after`: they left the file as it was.
  expect(await world.blame('a.txt')).toEqual(['1: edit', `live: ${PERSON}, or live while it ran`]);
  expect(await world.blame('other.txt')).toEqual([`new: ${PERSON}, or other while it ran`]);
  // One of both was there before, and no text tells which.
  expect(await world.blame('b.txt')).toEqual(['b: not known, perhaps after while it ran', 'more: not known, perhaps after while it ran']);
  await world.call('again', 'edit_file', { path: 'a.txt', edits: [{ old_text: '1\n', new_text: '1\n2\n' }] });
  appendFileSync(at.at('a.txt'), 'person\n');
  expect(await world.blame('a.txt')).toEqual(['1: edit', '2: again', `live: ${PERSON}, or live while it ran`, `person: ${PERSON}`]);
});

it('names a job for what came while it ran, also while it still runs', async () => {
  await using at = await temporaryHands({ 'a.txt': 'one\n', 'c.txt': 'c\n' });
  const world = new World(at);
  await world.call('edit', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1' }] });
  appendFileSync(at.at('a.txt'), 'person\n');
  await world.call('seen', 'edit_file', { path: 'a.txt', edits: [{ old_text: '1', new_text: 'I' }] });
  const job = await world.call('job', 'run_command', {
    command: 'echo job >> a.txt; echo ready; read -r line; echo late >> a.txt',
    wait_pattern: 'ready',
    ...JOB,
  });
  expect(await world.blame('a.txt')).toEqual(['I: seen', `person: ${PERSON}`, `job: ${PERSON}, or job while it ran`]);
  await world.call('during', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'I\n', new_text: 'I\nduring\n' }] });
  await world.end(job);
  expect(await world.blame('a.txt')).toEqual([
    'I: seen',
    'during: during',
    `person: ${PERSON}`,
    `job: ${PERSON}, or job while it ran`,
    `late: ${PERSON}, or job while it ran`,
  ]);
  appendFileSync(at.at('a.txt'), 'after\n');
  await world.call('last', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'after\n', new_text: 'after\nlast\n' }] });
  // It may have been written at any time since the last text that was seen.
  expect((await world.blame('a.txt')).at(-2)).toBe(`after: ${PERSON}, or job while it ran`);
  expect(await world.blame('c.txt')).toEqual(['c: before Synapse']);
});

it('does not take what was there before for the work of a command', async () => {
  await using at = await temporaryHands({ 'a.txt': 'one\n', '.gitignore': 'out\n', out: 'built\n' });
  const world = new World(at);
  // A person's file, with a time of long ago.
  utimesSync(at.at('out'), 1, 1);
  await world.call('live', 'run_command', { command: 'true', ...LIVE });
  expect(await world.blame('a.txt')).toEqual(['one: before Synapse']);
  // The trees say nothing of an ignored file, so both may have written it.
  const built = ['built again: not known, perhaps job or live while it ran'];
  const job = await world.call('job', 'run_command', { command: 'echo built again > out; echo ready; read -r line', wait_pattern: 'ready', ...JOB });
  expect(await world.blame('out')).toEqual(built);
  await world.end(job);
  expect(await world.blame('out')).toEqual(built);
  writeFileSync(at.at('late.txt'), 'late\n');
  await world.call('write', 'edit_file', { path: 'late.txt', edits: [{ old_text: 'late\n', new_text: 'late\nx\n' }] });
  expect((await world.blame('late.txt')).at(-1)).toBe('x: write');
});
