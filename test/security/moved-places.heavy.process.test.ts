import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { describe, expect, it, onTestFinished } from 'vitest';

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

/** Writes a task of an editor below a folder, without a name in the command that a rule could see. */
const PLANT = 'V=.vs; V=${V}code; mkdir -p $1/$V && echo "{}" > $1/$V/tasks.json\n';

async function open(): Promise<{ hands: Hands; at: (path: string) => string }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-moved-')));
  const root = join(base, 'workspace');
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'sub', 'a.txt'), 'of the person\n');
  writeFileSync(join(root, 'plant.sh'), PLANT);
  const options = { workspace: root, stateFolder: join(base, 'state'), configFolder: join(base, 'config'), allow: ['write', 'exec'] } as const;
  const hands = await createHands({ ...options, sandbox: 'required' });
  onTestFinished(async () => {
    await hands[Symbol.asyncDispose]();
  });
  return { hands, at: (path) => join(root, path) };
}

describe.skipIf(!hasSandbox)('orders to an editor in a new folder', () => {
  it('do not get into the place of a folder of the person by moves of files', async () => {
    const { hands, at } = await open();
    expect(await hands.call('run_command', { command: 'sh plant.sh n' })).toMatchObject({ ok: true });
    expect(existsSync(at('n/.vscode/tasks.json'))).toBe(true);
    // The control: to a place where nothing was, it goes.
    expect(await hands.call('move_path', { from: 'n', to: 'other' })).toMatchObject({ ok: true });
    expect(await hands.call('move_path', { from: 'sub', to: 'old' })).toMatchObject({ ok: true });
    const moved = await hands.call('move_path', { from: 'other', to: 'sub' });
    expect(moved).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    expect(existsSync(at('sub'))).toBe(false);
  });

  it.each(['mv n sub', 'cp -r n sub', 'sh plant.sh sub', 'mkdir sub && mv n sub/.. ; mv n/.[a-z]* sub'])(
    'do not by commands: %s',
    async (command) => {
      const { hands, at } = await open();
      const run = async (text: string) => await hands.call('run_command', { command: text });
      expect(await run('sh plant.sh n')).toMatchObject({ ok: true });
      expect(await run('cp -r n control')).toMatchObject({ ok: true });
      expect(existsSync(at('control/.vscode/tasks.json'))).toBe(true);
      expect(await run('mv sub old')).toMatchObject({ ok: true });
      await run(command);
      expect(existsSync(at('sub/.vscode/tasks.json'))).toBe(false);
      await run('mkdir -p sub; mv old/a.txt sub/');
      expect([existsSync(at('sub/a.txt')), existsSync(at('sub/.vscode'))]).toEqual([true, false]);
    },
  );

  // A command on the workspace itself is judged when it has ended, by what was there before it.
  it.each<readonly (readonly ['live' | 'copy', string])[]>([
    [['live', 'sh plant.sh sub']],
    [['live', 'sh plant.sh n; mv n/.[a-z]* sub']],
    [['live', 'sh plant.sh n; mv sub old; mv n sub; mv old/a.txt sub/']],
    [
      ['live', 'sh plant.sh n'],
      ['live', 'mv sub old'],
      ['live', 'mv n sub'],
    ],
    [
      ['live', 'mv sub old'],
      ['live', 'sh plant.sh n; cp -r n sub'],
    ],
    [
      ['live', 'rm -r sub'],
      ['copy', 'sh plant.sh sub'],
    ],
    [
      ['copy', 'mv sub old'],
      ['live', 'sh plant.sh sub'],
    ],
  ])('do not by live commands: %j', async (...steps) => {
    const { hands, at } = await open();
    const run = async ([mode, command]: readonly ['live' | 'copy', string]) => await hands.call('run_command', { command, live: mode === 'live' });
    // The control: in a place where nothing was, they are reported, and stay.
    expect(await run(['live', 'sh plant.sh control'])).toMatchObject({
      ok: true,
      data: { quarantined: [{ path: 'control/.vscode', action: 'reported' }] },
    });
    expect(existsSync(at('control/.vscode/tasks.json'))).toBe(true);
    for (const step of steps) expect(await run(step)).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(existsSync(at('sub/.vscode/tasks.json'))).toBe(false);
  });
});
