import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';

/** Points at which one change is killed. */
const POINTS = Number(process.env['POINTS'] ?? 2);

/** Kills its process at one of the moments at which something on the disk changes; prints how many there were where it lives. */
const script = (options: object, work: string, point: number): string => `
  import fs, { writeSync } from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let count = 0;
  let armed = false;
  for (const name of ['renameSync', 'linkSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'symlinkSync', 'writeFileSync', 'writeSync', 'fchmodSync']) {
    const original = fs[name];
    fs[name] = (...given) => {
      if (armed && (count += 1) === ${point}) process.kill(process.pid, 'SIGKILL');
      return original(...given);
    };
  }
  syncBuiltinESMExports();
  const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
  const hands = await createHands(${JSON.stringify(options)});
  armed = true;
  const result = await (${work});
  armed = false;
  if (!result.ok) throw new Error(result.error.message);
  writeSync(1, String(count));`;

const PATCH = [
  '*** Begin Patch',
  '*** Update File: a',
  '-a',
  '+A',
  '*** Add File: new/deep/file',
  '+x',
  '*** Delete File: d/b',
  '*** Update File: c',
  '*** Move to: moved',
  '@@',
  '-c',
  '+C',
  '*** End Patch',
].join('\n');

type Change = [string, string, unknown, 'call' | 'undo'];

const command = 'echo A > a; rm -r d; mkdir -p n/m; echo x > n/m/x; ln -s a l; chmod 711 n';
/** What commands did on a copy, as it is done in the workspace. */
const COMMANDS: ReadonlyArray<Change> = [
  ['the effect of a command', 'run_command', { command }, 'call'],
  ['the undo of a command', 'run_command', { command }, 'undo'],
];

const CHANGES: ReadonlyArray<Change> = [
  ['a patch', 'apply_patch', { patch: PATCH }, 'call'],
  ['the undo of a patch', 'apply_patch', { patch: PATCH }, 'undo'],
  ['the deletion of a folder', 'delete_directory', { path: 'd', recursive: true }, 'call'],
  ['the undo of a deletion', 'delete_directory', { path: 'd', recursive: true }, 'undo'],
  ['a move', 'move_path', { from: 'a', to: 'x/y/a' }, 'call'],
  ['the undo of a move', 'move_path', { from: 'a', to: 'x/y/a' }, 'undo'],
  ...((await findBubblewrap()) === undefined ? [] : COMMANDS),
];

const outcomes: string[] = [];
const seed = Math.floor(Math.random() * 2 ** 31);

it.each(CHANGES)(`leaves nothing of %s half done, whenever it is killed (seed ${seed})`, async (_, tool, input, kind) => {
  const base = await mkdtemp(join(tmpdir(), 'synapse-kill-'));
  const options = (name: string) => ({
    workspace: join(base, name, 'workspace'),
    stateFolder: join(base, name, 'state'),
    allow: ['write', 'exec'] as const,
    undoCommands: true,
  });
  const prepare = async (name: string): Promise<ReturnType<typeof options>> => {
    const made = options(name);
    await mkdir(join(made.workspace, 'd', 'e'), { recursive: true });
    for (const path of ['a', 'c', 'd/b', 'd/e/f', 'd/g']) await writeFile(join(made.workspace, path), `${path.at(-1)}\n`);
    await symlink('a', join(made.workspace, 'd', 'link'));
    await using hands = await createHands(made);
    if (kind === 'undo') expect(await hands.call(tool, input)).toMatchObject({ ok: true });
    return made;
  };
  const whole = await prepare('whole');
  const before = readTree(whole.workspace);
  const work = kind === 'undo' ? 'hands.undo()' : `hands.call(${JSON.stringify(tool)}, ${JSON.stringify(input)})`;
  const moments = Number(await runScript(script(whole, work, -1)).output);
  expect(moments).toBeGreaterThan(5);
  const after = readTree(whole.workspace);
  expect(after).not.toEqual(before);
  for (let index = 0; index < POINTS; index += 1) {
    // Spread over all of it, and elsewhere in each run.
    const point = ((seed + Math.floor((index * moments) / POINTS)) % moments) + 1;
    const killed = await prepare(String(index));
    const output = await runScript(script(killed, work, point)).output;
    if (output !== '') expect(Number(output), `killed at ${point}`).toBeLessThan(point);
    await using hands = await createHands(killed);
    // The first change of anything brings to an end what was left open.
    expect(await hands.call('create_directory', { path: 'other' }), `killed at ${point}`).toMatchObject({ ok: true });
    const { other, ...now } = readTree(killed.workspace);
    expect(other).toBeDefined();
    const stands = JSON.stringify(now) === JSON.stringify(after);
    expect(now, `killed at ${point}`).toEqual(stands ? after : before);
    outcomes.push(output !== '' ? 'survived' : stands ? 'stands' : 'taken back');
  }
});

it('was killed in the middle of some of them', () => {
  expect(outcomes, `seed ${seed}`).toContain('taken back');
});
