import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { queryAudit, type AuditedCall } from '../audit/query-audit.ts';
import { blameFile } from './blame-file.ts';
import type { BlamedLine } from './line-facts.ts';

class World implements AsyncDisposable {
  readonly names = new Map<string, string>();
  readonly at: TemporaryHands;

  constructor(at: TemporaryHands) {
    this.at = at;
  }

  static async open(files: Record<string, string>): Promise<World> {
    return new World(await temporaryHands(files));
  }

  /** Makes a call, whose name then stands for its id. */
  async call(name: string, tool: string, input: object): Promise<void> {
    const result = await this.at.hands.call<string>(tool, input);
    if (!result.ok) throw new Error(result.error.message);
    this.names.set(result.meta.callId, name);
    // What a call left is kept at the end of the turn in which it was answered.
    await new Promise((resolve) => setImmediate(resolve));
  }

  person(path: string, change: (text: string) => string): void {
    writeFileSync(this.at.at(path), change(readFileSync(this.at.at(path), 'utf8')));
  }

  /** The calls that a call made. */
  callsOf(parent: string): readonly AuditedCall[] {
    return [...queryAudit(join(this.at.folder, '..', 'state'), this.at.folder, { parent })];
  }

  async line(path: string, number: number): Promise<BlamedLine | undefined> {
    const lines = await blameFile(this.at.folder, join(this.at.folder, '..', 'state'), path);
    return lines[number - 1];
  }

  /** Each line with who wrote it. */
  async blame(path: string): Promise<string[]> {
    const lines = await blameFile(this.at.folder, join(this.at.folder, '..', 'state'), path);
    return lines.map(({ text, by, call, formatted }) => {
      const who = by === 'hands' ? (this.names.get(call ?? '') ?? 'hands') : by;
      return `${text}: ${who}${formatted === undefined ? '' : ` over ${this.names.get(formatted.call ?? '') ?? formatted.by}`}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
  }
}

it('names the calls of a program, and those in a branch, also after a person changed the file', async () => {
  await using world = await World.open({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' });
  const edit = { path: 'a.txt', edits: [{ old_text: 'two', new_text: '2' }] };
  const program = await world.at.hands.call('run_program', {
    code: `await hands.edit_file(${JSON.stringify(edit)}); await hands.run_command({ command: 'mkdir -p d; echo made > d/c.txt' })`,
  });
  for (const { call, tool } of world.callsOf(program.meta.callId)) world.names.set(call, tool);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await world.blame('a.txt')).toEqual(['one: before', '2: edit_file']);
  expect(await world.blame('d/c.txt')).toEqual(['made: run_command']);
  expect(await world.line('a.txt', 2)).toMatchObject({ tool: 'edit_file', applied: program.meta.callId });
  {
    await using branch = await world.at.hands.branch('work');
    const written = await branch.call('write_file', { path: 'b.txt', content: 'b\nbranch\n' }, { sessionId: 'in-branch', stepId: 'third' });
    world.names.set(written.meta.callId, 'write');
    const edited = await branch.call('edit_file', { path: 'b.txt', edits: [{ old_text: 'branch\n', new_text: 'branch\nmore\n' }] });
    world.names.set(edited.meta.callId, 'edit');
    const moved = await branch.call('move_path', { from: 'a.txt', to: 'moved.txt' });
    expect(moved).toMatchObject({ ok: true });
  }
  const applied = await world.at.hands.applyBranch('work');
  await world.at.hands.dropBranch('work');
  world.names.set(applied.meta.callId, 'apply');
  expect(await world.blame('b.txt')).toEqual(['b: before', 'branch: write', 'more: edit']);
  expect(await world.line('b.txt', 2)).toMatchObject({ session: 'in-branch', step: 'third', branch: 'work', applied: applied.meta.callId });
  expect(await world.blame('moved.txt')).toEqual(['one: before', '2: edit_file']);
  await new Promise((resolve) => setImmediate(resolve));
  world.person('b.txt', (text) => `${text}person\n`);
  expect(await world.blame('b.txt')).toEqual(['b: before', 'branch: write', 'more: edit', 'person: person-or-other']);
  await world.call('more', 'edit_file', { path: 'moved.txt', edits: [{ old_text: 'one', new_text: '1' }] });
  expect(await world.blame('moved.txt')).toEqual(['1: more', '2: edit_file']);
});

it('follows files in folders that a command made, moved or removed, and what an undo brings back', async () => {
  await using world = await World.open({ 'old/a.txt': 'one\ntwo\n' });
  await world.call('edit', 'edit_file', { path: 'old/a.txt', edits: [{ old_text: 'two', new_text: '2' }] });
  await world.call('move', 'run_command', { command: 'mv old new; mkdir fresh; echo made > fresh/b.txt' });
  expect(await world.blame('new/a.txt')).toEqual(['one: before', '2: edit']);
  expect(await world.blame('fresh/b.txt')).toEqual(['made: move']);
  await world.call('rename', 'run_command', { command: 'mv new/a.txt new/c.txt' });
  expect(await world.blame('new/c.txt')).toEqual(['one: before', '2: edit']);
  world.person('fresh/b.txt', (text) => `${text}person\n`);
  expect(await world.blame('fresh/b.txt')).toEqual(['made: move', 'person: person-or-other']);
  await world.call('remove', 'run_command', { command: 'rm -r new fresh' });
  await world.at.hands.undo({ last: 1 });
  world.person('new/c.txt', (text) => `${text}later\n`);
  expect(await world.blame('new/c.txt')).toEqual(['one: before', '2: edit', 'later: person-or-other']);
  expect(await world.blame('fresh/b.txt')).toEqual(['made: move', 'person: person-or-other']);
});

it('follows each line through tools, commands, a person, a rename, and an undo', async () => {
  await using world = await World.open({ 'a.txt': 'one\ntwo\nthree\n' });
  expect(await world.blame('a.txt')).toEqual(['one: before', 'two: before', 'three: before']);
  await world.call('edit', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'two', new_text: '2' }] });
  expect(await world.blame('a.txt')).toEqual(['one: before', '2: edit', 'three: before']);
  world.person('a.txt', (text) => `${text}person\n`);
  expect(await world.blame('a.txt')).toEqual(['one: before', '2: edit', 'three: before', 'person: person-or-other']);
  await world.call('command', 'run_command', { command: 'echo command >> a.txt' });
  world.person('a.txt', (text) => text.replace('three', 'drei'));
  expect(await world.blame('a.txt')).toEqual(['one: before', '2: edit', 'drei: person-or-other', 'person: person-or-other', 'command: command']);
  await world.call('move', 'move_path', { from: 'a.txt', to: 'b.txt' });
  await world.call('more', 'edit_file', { path: 'b.txt', edits: [{ old_text: 'one\n', new_text: 'one\nnew\n' }] });
  const all = ['one: before', 'new: more', '2: edit', 'drei: person-or-other', 'person: person-or-other', 'command: command'];
  expect(await world.blame('b.txt')).toEqual(all);
  await world.at.hands.undo({ last: 1 });
  expect(await world.blame('b.txt')).toEqual(all.filter((line) => line !== 'new: more'));
});

it('names the call that made a file, and both where one formatted what another wrote', async () => {
  await using world = await World.open({});
  await world.call('write', 'write_file', { path: 'a.js', content: 'const a = {b:1}\nconst c = 2\n' });
  await world.call('format', 'write_file', { path: 'a.js', content: 'const a = { b: 1 };\nconst c = 2\n' });
  expect(await world.blame('a.js')).toEqual(['const a = { b: 1 };: format over write', 'const c = 2: write']);
});

it('says what is not known, and does not guess', async () => {
  await using world = await World.open({ 'a.txt': 'one\n' });
  const long = `${'x'.repeat(2_000)}\nsecond\n`;
  await world.call('write', 'write_file', { path: 'a.txt', content: long });
  world.person('a.txt', (text) => `${text}third\n`);
  const blamed = async (): Promise<string[]> => (await world.blame('a.txt')).map((line) => line.replace(/^x+/u, 'x'));
  // What a call left is kept after its answer.
  await expect.poll(blamed).toEqual(['x: write', 'second: write', 'third: person-or-other']);
  // It is not kept any more, and the log has only the beginning of a long text.
  rmSync(join(world.at.folder, '..', 'state', 'trees'), { recursive: true });
  expect(await blamed()).toEqual(['x: unknown', 'second: unknown', 'third: unknown']);
});

it('is right for each line of a long history with a person in between', async () => {
  const first = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  await using world = await World.open({ 'a.txt': first.map((line) => `${line}\n`).join('') });
  const expected = new Map(first.map((line) => [line, 'before']));
  let random = 20_261_127;
  const next = (limit: number): number => (random = (random * 48_271) % 2_147_483_647) % limit;
  for (let step = 0; step < 60; step += 1) {
    const keys = [...expected.keys()];
    const old = keys[next(keys.length)] ?? '';
    const fresh = `step ${step}${' z'.repeat(next(3) * 150)}`;
    const kind = next(4);
    const text = readFileSync(world.at.at('a.txt'), 'utf8');
    const changed = text.replace(`${old}\n`, () => `${fresh}\n`);
    if (kind === 0) world.person('a.txt', () => changed);
    else if (kind === 1) await world.call(`call ${step}`, 'edit_file', { path: 'a.txt', edits: [{ old_text: `${old}\n`, new_text: `${fresh}\n` }] });
    else if (kind === 2) await world.call(`call ${step}`, 'write_file', { path: 'a.txt', content: changed });
    else await world.call(`call ${step}`, 'run_command', { command: `sed -i 's/^${old}$/${fresh}/' a.txt` });
    expected.delete(old);
    expected.set(fresh, kind === 0 ? 'person-or-other' : `call ${step}`);
  }
  const lines = (await world.blame('a.txt')).map((line): [string, string] => [
    line.slice(0, line.lastIndexOf(': ')),
    line.slice(line.lastIndexOf(': ') + 2),
  ]);
  expect(new Map(lines)).toEqual(expected);
}, 60_000);
