import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { CHECKOUT_USERS } from '../testing/sandbox-bench.ts';

/** Moments at which each kind of change is killed; `POINTS=75` for a long run of 300 kills, and as many in the recovery. */
const POINTS = Number(process.env['POINTS'] ?? 1);
/** Points at a time. */
const LANES = 2;
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
  'fchmodSync',
  'truncateSync',
  'utimesSync',
  'lutimesSync',
  'chownSync',
  'ftruncateSync',
  'rmSync',
];

/** Makes hands, does work, and kills its process at one of the moments at which it changes the disk; prints what the work ends with. */
const script = (options: object, work: string, point: number): string => `
  import fs, { writeSync } from 'node:fs';
  import { flushCompileCache, syncBuiltinESMExports } from 'node:module';
  let count = 0;
  let armed = false;
  const arm = () => (armed = true);
  const say = (text) => ((armed = false), void writeSync(1, String(text)));
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
  const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
  const { readTree } = await import(${sourceUrl('testing/read-tree.ts')});
  // What is killed keeps nothing for the next process otherwise.
  flushCompileCache();
  const must = ({ ok, error, output }) => { if (!ok) throw new Error(error.message); return output; };
  const options = ${JSON.stringify(options)};
  const { workspace } = options;
  const hands = await createHands(options);
  ${work}
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
  'mkdir shut; echo s > shut/s; chmod 500 shut',
  'echo end',
].join('; ');

const RUN = `must(await hands.call('run_command', { command: ${JSON.stringify(COMMAND)} }`;
/** What is killed. Armed when the command has ended: what comes before changes nothing of the workspace. */
const WORK = {
  call: `${RUN}, { onProgress: arm })); say(count);`,
  undo: `${RUN})); arm(); must(await hands.undo()); say(count);`,
} as const;
/** The first change after a kill finishes what was begun, or takes it back. */
const RECOVER = `arm(); must(await hands.call('create_directory', { path: 'other' })); say(count);`;
/** Nothing of it stands in the way of the next one. */
const GO_ON = `
  must(await hands.call('create_directory', { path: 'other2' }));
  const tree = () => readTree(workspace);
  const now = tree();
  must(await hands.call('run_command', { command: 'chmod -R u+w .; rm -rf ./*; echo next > a' }));
  const next = tree();
  must(await hands.undo());
  say(JSON.stringify({ now, next, undone: tree() }));`;
const Tree = z.record(z.string(), z.string());
const WentOn = z.object({ now: Tree, next: Tree, undone: Tree });

const FILES = ['a', 'c', 'f', 'd/b', 'd/e/f', 'o/old', 'o/p/q', 'g/h/i', ...[1, 2, 3, 4].map((n) => `many/old${n}`)];

/** A file system in memory that every Linux has, on which the state folder may lie. */
const MEMORY = '/dev/shm';
const isAcross = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(tmpdir()).dev;
const PLACES = CHECKOUT_USERS.flatMap((user) => [{ user, across: false }, ...(isAcross ? [{ user, across: true }] : [])]);

describe.skipIf((await findBubblewrap()) === undefined).each(PLACES)(
  `a transaction that is killed (seed ${seed}), as $user, with its state on another file system: $across`,
  ({ user, across }) => {
    let base: string;
    let states: string;
    const asOther = process.getuid?.() === 0 && user === 'user';
    const figures = { kills: 0, secondKills: 0, 'rolled back': 0, finished: 0, broken: 0 };
    const options = (name: string) => ({
      workspace: join(base, name, 'workspace'),
      stateFolder: join(states, name, 'state'),
      configFolder: join(base, name, 'config'),
      allow: ['write', 'exec'] as const,
      sandbox: 'required' as const,
    });
    /** Copies keep the inodes of nothing, so each place is made anew. */
    const prepare = (name: string): ReturnType<typeof options> => {
      const { workspace } = options(name);
      for (const folder of ['d/e', 'o/p', 'g/h', 'many']) mkdirSync(join(workspace, folder), { recursive: true });
      for (const path of FILES) writeFileSync(join(workspace, path), `${path}\n`);
      symlinkSync('a', join(workspace, 'd/link'));
      if (asOther) execFileSync('chown', ['-hR', '65534:65534', join(base, name)]);
      return options(name);
    };
    /** What it said; undefined where it was killed. */
    const run = async (place: object, work: string, point = -1): Promise<string | undefined> => {
      const started = runScript(script(place, work, point), { asOther });
      const said = await started.output;
      if (started.process.signalCode === 'SIGKILL') return undefined;
      expect(said, 'it failed by itself').not.toBe('');
      return said;
    };
    beforeAll(() => {
      base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-kill-')));
      states = across ? mkdtempSync(join(MEMORY, 'synapse-kill-')) : base;
      chmodSync(base, 0o755);
      if (asOther) execFileSync('chown', ['65534:65534', base, states]);
    });
    afterAll(() => {
      process.stdout.write(`killed transactions as ${user}${across ? ', across file systems' : ''}: ${JSON.stringify(figures)}\n`);
    });

    it.each(['call', 'undo'] as const)(
      'leaves the workspace as it was or as it was to be, and goes on as if nothing had been: %s',
      async (kind) => {
        const whole = prepare(`whole-${kind}`);
        const first = readTree(whole.workspace);
        const moments = Number(await run(whole, WORK[kind]));
        expect(moments).toBeGreaterThan(20);
        const last = readTree(whole.workspace);
        const changed = kind === 'call' ? last : undefined;
        if (kind === 'undo') expect(last).toEqual(first);
        const kill = async (index: number): Promise<void> => {
          const point = ((seed + Math.floor((index * moments) / POINTS)) % moments) + 1;
          // The second kill is in the recovery itself.
          const again = ((seed + index * 7) % 24) + 1;
          const name = `${kind}-${index}`;
          const place = prepare(name);
          expect(await run(place, WORK[kind], point)).toBeUndefined();
          figures.kills += 1;
          figures.broken += 1;
          const torn = readTree(place.workspace);
          if ((await run(place, RECOVER, again)) === undefined) figures.secondKills += 1;
          const why = `killed at ${point} of ${moments} and ${again}; it was ${JSON.stringify(torn)}`;
          const { now: found, next, undone } = WentOn.parse(JSON.parse((await run(place, GO_ON)) ?? ''));
          const { other: _, other2, ...now } = found;
          expect(other2).toBeDefined();
          const isFirst = JSON.stringify(now) === JSON.stringify(first);
          if (kind === 'call') expect(now, why).toEqual(isFirst ? first : changed);
          // An undo begins with what the command made.
          else if (!isFirst) expect(now, why).toEqual(await madeBy());
          expect(next).toEqual({ a: 'file 644 next\n' });
          expect(undone, why).toEqual(found);
          figures.broken -= 1;
          figures[isFirst === (kind === 'call') ? 'rolled back' : 'finished'] += 1;
          for (const folder of [base, states]) rmSync(join(folder, name), { recursive: true, force: true });
        };
        let made: Promise<Record<string, string>> | undefined;
        const madeBy = (): Promise<Record<string, string>> =>
          (made ??= (async () => {
            const place = prepare('made');
            await run(place, WORK.call);
            return readTree(place.workspace);
          })());
        let index = 0;
        const lane = async (): Promise<void> => {
          while (index < POINTS) await kill(index++);
        };
        await Promise.all(Array.from({ length: LANES }, lane));
      },
      Math.max(240_000, POINTS * 60_000),
    );
  },
);
