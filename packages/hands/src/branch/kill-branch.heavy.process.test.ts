import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';

/** Moments at which applying is killed; `POINTS=1000` for each. */
const POINTS = Number(process.env['POINTS'] ?? 2);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** All that changes the disk. */
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
  'lutimesSync',
  'rmSync',
];

/** Makes hands, does work, and kills its process at one of the moments at which it changes the disk; prints what the work says. */
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
      if (armed && (count += 1) === ${point}) process.kill(process.pid, 'SIGKILL');
      return result;
    };
  }
  syncBuiltinESMExports();
  const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
  const { readTree } = await import(${sourceUrl('testing/read-tree.ts')});
  const { BranchStore } = await import(${sourceUrl('branch/branch-store.ts')});
  const { holdBranch } = await import(${sourceUrl('branch/hold-branch.ts')});
  const { FileLocks } = await import(${sourceUrl('workspace/file-lock.ts')});
  const { execFileSync } = await import('node:child_process');
  // What is killed keeps nothing for the next process otherwise.
  flushCompileCache();
  const must = ({ ok, error, data }) => { if (!ok) throw new Error(error.message); return data; };
  const options = ${JSON.stringify(options)};
  const { workspace, stateFolder } = options;
  const inside = async (script) => {
    const { folder, record } = new BranchStore(stateFolder, workspace).get('one');
    using held = await holdBranch(folder, record, { stateFolder, locks: new FileLocks(stateFolder + '/locks'), signal: AbortSignal.timeout(60000) });
    const [program, ...words] = held.enter(['/bin/sh', '-ec', script], workspace);
    return execFileSync(program, words, { encoding: 'utf8' });
  };
  const hands = await createHands(options);
  ${work}
  await hands[Symbol.asyncDispose]();`;

const IN_BRANCH =
  'echo A > a; rm -r d; mkdir -p n/m; echo x > n/m/x; ln -s a l; rm -r o; mkdir o; echo new > o/new; rm f; mkdir f; echo in > f/in; rm -r g; echo x > g; chmod 711 many; for i in 1 2 3; do echo $i > many/$i; rm many/old$i; done';
const CONFLICT = 'both';
const MAKE = `
  await hands.createBranch('one');
  await inside(${JSON.stringify(`${IN_BRANCH}; echo branch > ${CONFLICT}`)});
  fs.writeFileSync(workspace + '/${CONFLICT}', 'person');`;
const APPLY = `arm(); must(await hands.applyBranch('one')); say(count);`;
/** A person's next look finishes what was begun, or takes it back. */
const LOOK = `arm(); await hands.showBranch('one'); say(count);`;
const GO_ON = `
  const shown = (await hands.showBranch('one')).changes.map(({ path }) => path).toSorted();
  const pending = hands.pendingChanges().length;
  const merged = await inside('find . | sort; cat ${CONFLICT}');
  const found = readTree(workspace);
  must(await hands.applyBranch('one'));
  const applied = readTree(workspace);
  const kept = await inside('cat ${CONFLICT}');
  // The kill may have left one change or two.
  const undo = async () => (await hands.undo().catch(({ code }) => ({ ok: false, code }))).ok;
  while (await undo());
  say(JSON.stringify({ shown, pending, merged, found, applied, kept, undone: readTree(workspace) }));`;
/** The hunks of two files are applied; the workspace changed one of them too, so that it is merged. */
const LINES = Array.from({ length: 20 }, (_, index) => `${index}\n`);
const PARTS = {
  old: LINES.join(''),
  branch: LINES.with(1, 'first\n').with(18, 'last\n').join(''),
  person: LINES.with(10, 'person\n').join(''),
  part: LINES.with(1, 'first\n').join(''),
  merged: LINES.with(1, 'first\n').with(10, 'person\n').with(18, 'last\n').join(''),
  mergedPart: LINES.with(1, 'first\n').with(10, 'person\n').join(''),
};
const MAKE_PARTS = `
  const branch = await hands.branch('one');
  for (const path of ['a', 'f']) must(await branch.call('write_file', { path, content: ${JSON.stringify(PARTS.branch)} }));
  await branch[Symbol.asyncDispose]();
  fs.writeFileSync(workspace + '/f', ${JSON.stringify(PARTS.person)});`;
const APPLY_PARTS = `arm(); must(await hands.applyBranch('one', { hunks: ['a', 'f'].map((path) => ({ path, take: [1] })) })); say(count);`;
const GO_ON_WITH_PARTS = `
  await hands.showBranch('one');
  const own = await inside('cat a f');
  const [found] = [readTree(workspace)];
  must(await hands.applyBranch('one'));
  const applied = readTree(workspace);
  const undo = async () => (await hands.undo().catch(({ code }) => ({ ok: false, code }))).ok;
  while (await undo());
  say(JSON.stringify({ own, found, applied, undone: readTree(workspace) }));`;
const Tree = z.record(z.string(), z.string());
const WentOnWithParts = z.object({ own: z.string(), found: Tree, applied: Tree, undone: Tree });
const WentOn = z.object({
  shown: z.array(z.string()),
  pending: z.int(),
  merged: z.string(),
  found: Tree,
  applied: Tree,
  kept: z.string(),
  undone: Tree,
});

describe.skipIf((await findBubblewrap()) === undefined)(`a branch whose Synapse is killed while it applies it (seed ${seed})`, () => {
  let base: string;
  const options = (name: string) => ({
    workspace: join(base, name, 'workspace'),
    stateFolder: join(base, name, 'state'),
    configFolder: join(base, name, 'config'),
    allow: ['write', 'exec'] as const,
  });
  const prepare = (name: string): ReturnType<typeof options> => {
    const { workspace } = options(name);
    for (const folder of ['d/e', 'o/p', 'g/h', 'many']) mkdirSync(join(workspace, folder), { recursive: true });
    for (const path of ['a', 'f', CONFLICT, 'd/b', 'd/e/f', 'o/old', 'o/p/q', 'g/h/i', ...[1, 2, 3].map((n) => `many/old${n}`)])
      writeFileSync(join(workspace, path), `${path}\n`);
    symlinkSync('a', join(workspace, 'd/link'));
    return options(name);
  };
  /** What it said; undefined where it was killed. */
  const run = async (place: object, work: string, point = -1): Promise<string | undefined> => {
    const started = runScript(script(place, work, point));
    const said = await started.output;
    if (started.process.signalCode === 'SIGKILL') return undefined;
    expect(said, 'it failed by itself').not.toBe('');
    return said;
  };
  beforeAll(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-kill-branch-')));
  });

  it(
    'is applied or as it was, the conflict stays in it, and applying it again does the rest',
    { timeout: Math.max(240_000, POINTS * 30_000) },
    async () => {
      const whole = prepare('whole');
      const first = { ...readTree(whole.workspace) };
      const moments = Number(await run(whole, MAKE + APPLY));
      expect(moments).toBeGreaterThan(20);
      const last = readTree(whole.workspace);
      first[CONFLICT] = last[CONFLICT] ?? '';
      const kill = async (index: number): Promise<void> => {
        const point = ((seed + Math.floor((index * moments) / Math.min(POINTS, moments))) % moments) + 1;
        const again = ((seed + index * 7) % 12) + 1;
        const place = prepare(`point-${index}`);
        const why = `killed at ${point} of ${moments} and ${again}`;
        expect(await run(place, MAKE + APPLY, point), why).toBeUndefined();
        await run(place, LOOK, again);
        const { shown, pending, merged, found, applied, kept, undone } = WentOn.parse(JSON.parse((await run(place, GO_ON)) ?? ''));
        expect(found, why).toEqual(JSON.stringify(found) === JSON.stringify(first) ? first : last);
        expect(shown, why).toContain(CONFLICT);
        expect(pending, why).toBe(0);
        expect(merged, why).toMatch(/^\.\n\.\/a\n\.\/both\n\.\/f\n\.\/f\/in\n\.\/g\n\.\/l\n\.\/many\n[^]*\.\/o\/new\nbranch\n$/u);
        expect(applied, why).toEqual(last);
        expect(kept, why).toBe('branch\n');
        expect(undone, why).toEqual(first);
        rmSync(join(base, `point-${index}`), { recursive: true, force: true });
      };
      for (let index = 0; index < Math.min(POINTS, moments); index += 1) await kill(index);
    },
  );

  it('has the rest of files of which it applied hunks, or all of them', { timeout: Math.max(240_000, POINTS * 30_000) }, async () => {
    const prepareParts = (name: string): ReturnType<typeof options> => {
      const place = prepare(name);
      for (const path of ['a', 'f']) writeFileSync(join(place.workspace, path), PARTS.old);
      return place;
    };
    const whole = prepareParts('parts');
    const moments = Number(await run(whole, MAKE_PARTS + APPLY_PARTS));
    expect(moments).toBeGreaterThan(20);
    const part = readTree(whole.workspace);
    expect(part).toMatchObject({ a: expect.stringContaining(PARTS.part), f: expect.stringContaining(PARTS.mergedPart) });
    const kill = async (index: number): Promise<void> => {
      const point = ((seed + Math.floor((index * moments) / Math.min(POINTS, moments))) % moments) + 1;
      const again = ((seed + index * 7) % 24) + 1;
      const place = prepareParts(`part-${index}`);
      const why = `killed at ${point} of ${moments} and ${again}`;
      expect(await run(place, MAKE_PARTS + APPLY_PARTS, point), why).toBeUndefined();
      await run(place, LOOK, again);
      const { own, found, applied, undone } = WentOnWithParts.parse(JSON.parse((await run(place, GO_ON_WITH_PARTS)) ?? ''));
      const isPart = JSON.stringify(found) === JSON.stringify(part);
      expect(found['a'], why).toContain(isPart ? PARTS.part : PARTS.old);
      expect(own, why).toBe(PARTS.branch + (isPart ? PARTS.merged : PARTS.branch));
      for (const [path, all] of [
        ['a', PARTS.branch],
        ['f', PARTS.merged],
      ] as const)
        expect([applied[path], undone[path]], why).toEqual([
          expect.stringContaining(all),
          expect.stringContaining(path === 'a' ? PARTS.old : PARTS.person),
        ]);
      rmSync(join(base, `part-${index}`), { recursive: true, force: true });
    };
    for (let index = 0; index < Math.min(POINTS, moments); index += 1) await kill(index);
  });
});
