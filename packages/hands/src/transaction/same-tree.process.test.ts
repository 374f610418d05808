import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env['RUNS'] ?? 6);

/** A generator of numbers that a seed repeats. */
function numbers(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Everything below a folder: kinds, modes, contents, where links lead, and times of files that a script set. */
function treeOf(folder: string, below = ''): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below), { encoding: 'latin1' })) {
    const path = join(below, name);
    const full = Buffer.from(join(folder, path), 'latin1');
    const stat = lstatSync(full, { bigint: true });
    const mode = (stat.mode & 0o7777n).toString(8);
    // What was not set is the time of the run.
    const time = stat.mtimeNs < 1_700_000_000_000_000_000n ? String(stat.mtimeNs) : 'now';
    if (stat.isDirectory()) {
      chmodSync(full, 0o755);
      Object.assign(entries, { [path]: `folder ${mode}` }, treeOf(folder, path));
      // As it was: a copy is made of this tree later.
      chmodSync(full, Number(stat.mode & 0o7777n));
    } else if (stat.isSymbolicLink()) entries[path] = `link ${readlinkSync(full)}`;
    else entries[path] = `file ${mode} ${time} ${stat.nlink} ${readFileSync(full, 'latin1')}`;
  }
  return entries;
}

const NAMES = ['a', 'b', 'c', 'd'];
const STEPS: ReadonlyArray<(path: string, other: string, n: number) => string> = [
  (path, _, n) => `echo ${n} > ${path}`,
  (path, _, n) => `echo ${n} >> ${path}`,
  (path) => `rm -rf ${path}`,
  (path) => `mkdir -p ${path}`,
  (path) => `rm -rf ${path}; mkdir ${path}`,
  (path, other) => `mv ${path} ${other}`,
  // By way of another folder: what cp copies of a folder into itself depends on the order in which it finds the names.
  (path, other) => `cp -r ${path} t1; cp -r t1 ${other}; rm -rf t1`,
  (path, other) => `ln ${path} ${other}`,
  (path, other) => `ln -s ${other} ${path}`,
  // Its owner may always write: root without its powers could not, and root outside could.
  (path, _, n) => `test -L ${path} || chmod ${['700', '755', '750', '4711', '744'][n % 5]} ${path}`,
  (path, _, n) => `test -L ${path} || touch -d @${1_000_000_000 + n}.12345 ${path}`,
  (path) => `cp -p ${path} t0; cat t0 > ${path}; rm -f t0`,
  (path) => `truncate -s 100000 ${path}`,
];

const LINK = 7;
/** A view does not know that a file has another name: what a command writes changes under the one name, as with the file tools. */
const WITHOUT_LINKS = STEPS.filter((_, index) => index !== LINK);

function randomScript(next: (below: number) => number, steps = STEPS): string {
  const path = (): string => Array.from({ length: 1 + next(3) }, () => NAMES[next(NAMES.length)]).join('/');
  return Array.from({ length: 5 + next(25) }, () => `{ ${steps[next(steps.length)]?.(path(), path(), next(1000))}; } 2> /dev/null`).join('\n');
}

describe.skipIf((await findBubblewrap()) === undefined)(`a command as a transaction (seed ${seed})`, () => {
  it(
    'leaves the tree that it leaves in a plain shell, whatever it does, and undo brings back what was there',
    async () => {
      const next = numbers(seed);
      for (let index = 0; index < RUNS; index += 1) {
        const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-same-')));
        const [workspace, plain, copy] = ['workspace', 'plain', 'copy'].map((name) => join(base, name)) as [string, string, string];
        const first = randomScript(next, WITHOUT_LINKS);
        for (const folder of [workspace, plain]) {
          mkdirSync(folder);
          execFileSync('/bin/sh', ['-c', `cd ${folder}; umask 022\n${first}\ntrue`]);
        }
        execFileSync('cp', ['-a', workspace, copy]);
        const script = randomScript(next);
        await using hands = await createHands({
          workspace,
          stateFolder: join(base, 'state'),
          allow: ['write', 'exec', 'protected'],
          sandbox: 'required',
        });
        writeFileSync(join(base, 'script'), script);
        const result = await hands.call('run_command', { command: `umask 022\n${script}\ntrue` });
        expect(result, script).toMatchObject({ ok: true, data: { exit_code: 0 } });
        execFileSync('/bin/sh', ['-c', `cd ${plain}; umask 022\n${script}\ntrue`]);
        const undone = await hands.undo().catch(() => undefined);
        if (undone !== undefined) expect(undone, script).toMatchObject({ ok: true });
        const restored = treeOf(workspace);
        expect(restored, `${first}\n---\n${script}`).toEqual(treeOf(copy));
        rmSync(workspace, { recursive: true });
        execFileSync('cp', ['-a', copy, workspace]);
        const again = await createHands({ workspace, stateFolder: join(base, 'state2'), allow: ['write', 'exec', 'protected'], sandbox: 'required' });
        expect(await again.call('run_command', { command: `umask 022\n${script}\ntrue` })).toMatchObject({ ok: true });
        await again[Symbol.asyncDispose]();
        expect(withoutRights(treeOf(workspace)), `${first}\n---\n${script}`).toEqual(withoutRights(treeOf(plain)));
        rmSync(base, { recursive: true, force: true });
      }
    },
    60_000 + RUNS * 20_000,
  );

  it.each([
    ['a folder of the same name in it', 'mkdir -p a/d/e', 'rm -rf a && mkdir -p a/d'],
    ['folders of the same names, deeper', 'mkdir -p a/d/e && echo old > a/d/e/f', 'rm -rf a && mkdir -p a/d/e'],
    ['a folder and a file of the same names', 'mkdir -p a/d/e && echo old > a/f', 'rm -rf a && mkdir -p a/d && echo new > a/f'],
    ['another name in it', 'mkdir -p a/d/e && echo old > a/f', 'mv a t && mkdir a && mv t a/d'],
  ])('deletes what a folder contained that is deleted and made again with %s', async (_, first, command) => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-same-')));
    mkdirSync(join(workspace, 'w'));
    const make = (folder: string): void => void execFileSync('/bin/sh', ['-c', first], { cwd: folder });
    const plain = mkdtempSync(join(workspace, 'plain-'));
    for (const folder of [join(workspace, 'w'), plain]) make(folder);
    const before = treeOf(join(workspace, 'w'));
    await using hands = await createHands({ workspace: join(workspace, 'w'), stateFolder: join(workspace, 'state'), allow: ['write', 'exec'] });
    expect(await hands.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 } });
    execFileSync('/bin/sh', ['-c', command], { cwd: plain });
    expect(treeOf(join(workspace, 'w'))).toEqual(treeOf(plain));
    await hands.undo();
    expect(treeOf(join(workspace, 'w'))).toEqual(before);
    rmSync(workspace, { recursive: true });
  });
});

/** Set-id bits are not handed on, and links between files are told by their contents where a name is on both sides. */
function withoutRights(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tree).map(([path, entry]) => [path, entry.replace(/^(file|folder) [4-7](\d{3})/u, '$1 $2').replace(/^(file \d+ \w+) \d+/u, '$1')]),
  );
}
