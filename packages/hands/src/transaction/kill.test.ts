import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHands } from '../create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';

/** Moments at which a change is killed; `POINTS=300` for a long run. */
const POINTS = Number(process.env['POINTS'] ?? 4);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** All that changes the disk, synchronous or not. */
const CALLS = [
  'renameSync',
  'linkSync',
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
  'symlinkSync',
  'writeFileSync',
  'writeSync',
  'chmodSync',
  'utimesSync',
  'rmSync',
];

/** Does work and kills its process at one of the moments at which it changes the disk; prints how many there were where it lives. */
const script = (options: object, work: string, point: number): string => `
  import fs, { writeSync } from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let count = 0;
  let armed = false;
  for (const name of ${JSON.stringify(CALLS)}) {
    const original = fs[name];
    fs[name] = (...given) => {
      if (armed && (count += 1) === ${point}) process.kill(process.pid, 'SIGKILL');
      const result = original(...given);
      // Also right after it.
      if (armed && (count += 1) === ${point}) process.kill(process.pid, 'SIGKILL');
      return result;
    };
  }
  syncBuiltinESMExports();
  const { createHands } = await import(${sourceUrl('create-hands.ts')});
  const hands = await createHands(${JSON.stringify(options)});
  armed = ${work.includes('undo') || work.includes('create_directory')};
  // Armed when the command has ended: what comes before changes nothing of the workspace.
  globalThis.arm = () => (armed = true);
  const result = await (${work});
  armed = false;
  if (!result.ok) throw new Error(result.error.message);
  writeSync(1, String(count));
  await hands[Symbol.asyncDispose]();`;

const COMMAND = [
  'echo A > a',
  'rm -r d',
  'mkdir -p n/m; echo x > n/m/x',
  'ln -s a l',
  'rm -r o; mkdir o; echo new > o/new',
  'rm f; mkdir f; echo in > f/in',
  'rm -r g; echo was-folder > g',
  'for i in 1 2 3 4; do echo $i > many/$i; rm many/old$i; done',
  'chmod 711 many',
  'echo end',
].join('; ');

const call = (command: string): string =>
  `hands.call('run_command', { command: ${JSON.stringify(command)} }, { onProgress: () => globalThis.arm() })`;

describe.skipIf((await findBubblewrap()) === undefined)(`a transaction that is killed (seed ${seed})`, () => {
  let base: string;
  const options = (name: string) => ({
    workspace: join(base, name, 'workspace'),
    stateFolder: join(base, name, 'state'),
    configFolder: join(base, name, 'config'),
    allow: ['write', 'exec'] as const,
    sandbox: 'required' as const,
  });
  /** Copies keep the inodes of nothing, so each place is made anew. */
  const prepare = (name: string): ReturnType<typeof options> => {
    const { workspace } = options(name);
    for (const folder of ['d/e', 'o/p', 'g/h', 'many']) mkdirSync(join(workspace, folder), { recursive: true });
    for (const path of ['a', 'c', 'f', 'd/b', 'd/e/f', 'o/old', 'o/p/q', 'g/h/i', ...[1, 2, 3, 4].map((n) => `many/old${n}`)])
      writeFileSync(join(workspace, path), `${path}\n`);
    symlinkSync('a', join(workspace, 'd/link'));
    return options(name);
  };
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'synapse-kill-'));
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  const outcomes = new Set<string>();
  it.each<['call' | 'undo']>([['call'], ['undo']])(
    'leaves the workspace as it was or as it was to be, and goes on as if nothing had been: %s',
    async (kind) => {
      const begin = async (name: string): Promise<ReturnType<typeof options>> => {
        const made = prepare(name);
        if (kind === 'undo') {
          await using hands = await createHands(made);
          expect(await hands.call('run_command', { command: COMMAND })).toMatchObject({ ok: true });
        }
        return made;
      };
      const whole = await begin(`whole-${kind}`);
      const before = readTree(whole.workspace);
      const work = kind === 'undo' ? 'hands.undo()' : call(COMMAND);
      const moments = Number(await runScript(script(whole, work, -1)).output);
      expect(moments).toBeGreaterThan(20);
      const after = readTree(whole.workspace);
      expect(after).not.toEqual(before);
      for (let index = 0; index < POINTS; index += 1) {
        const point = ((seed + Math.floor((index * moments) / POINTS)) % moments) + 1;
        const name = `${kind}-${index}`;
        const killed = await begin(name);
        await runScript(script(killed, work, point)).output;
        const torn = readTree(killed.workspace);
        // The second kill is in the recovery itself.
        const again = ((seed + index * 7) % 24) + 1;
        await runScript(script(killed, `hands.call('create_directory', { path: 'other' })`, again)).output;
        await using hands = await createHands(killed);
        expect(await hands.call('create_directory', { path: 'other2' }), `killed at ${point} and ${again}`).toMatchObject({ ok: true });
        const { other, other2, ...now } = readTree(killed.workspace);
        expect(other2).toBeDefined();
        const stands = JSON.stringify(now) === JSON.stringify(after);
        expect(now, `killed at ${point} of ${moments} and ${again}; it was ${JSON.stringify(torn)}`).toEqual(stands ? after : before);
        outcomes.add(JSON.stringify(torn) === JSON.stringify(stands ? after : before) ? 'whole' : stands ? 'finished' : 'taken back');
        if (kind === 'call' && !stands) {
          const areas = join(killed.stateFolder, 'transactions');
          const kept = readdirSync(areas, { recursive: true, encoding: 'utf8' }).some((path) => path.endsWith('record.json'));
          // Once it had begun to be applied, a person still finds it.
          if (JSON.stringify(torn) !== JSON.stringify(before)) expect(kept, `killed at ${point}`).toBe(true);
        }
        // Nothing of it stands in the way of the next one.
        expect(await hands.call('run_command', { command: 'rm -rf ./*; echo next > a' })).toMatchObject({ ok: true });
        expect(await hands.undo()).toMatchObject({ ok: true });
        const { other: _, other2: __, ...undone } = readTree(killed.workspace);
        expect(undone).toEqual(now);
        rmSync(join(base, name), { recursive: true, force: true });
      }
    },
    Math.max(120_000, POINTS * 30_000),
  );

  it('was torn in the middle by some of these', () => {
    if (POINTS >= 20) expect([...outcomes]).toContain('taken back');
  });
});
