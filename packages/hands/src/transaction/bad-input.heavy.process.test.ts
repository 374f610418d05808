import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallResult } from '@synapse/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ApprovalRequest } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { SCRIPT_OPTIONS, sourceUrl } from '../testing/run-script.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const isRoot = process.getuid?.() === 0;
const works = (await findBubblewrap()) !== undefined;
const FILES = { 'a.txt': 'one\n', 'd/x': 'x' };
const required = { sandbox: 'required' } as const;
const run = (at: TemporaryHands, command: string, rest: object = {}): Promise<CallResult> => at.hands.call('run_command', { command, ...rest });
const output = (result: CallResult): string => (result.ok ? result.output : expect.fail(result.error.message));

/** What a script says at its end. */
const Said = z.object({
  output: z.string(),
  before: z.record(z.string(), z.string()),
  after: z.record(z.string(), z.string()),
  pending: z.array(z.string()),
  rest: z.record(z.string(), z.string()),
});

describe.skipIf(!works || !isRoot)('a disk that is full', () => {
  let base: string;
  beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-full-')))));

  /** Runs a command with a small file system of its own, which is gone with the process; then makes room and applies what waits. */
  async function onSmallDisk(mounted: string, size: string, places: { workspace: string; stateFolder: string }, command: string) {
    const script = `
      import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
      const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
      const { readTree } = await import(${sourceUrl('testing/read-tree.ts')});
      const { workspace, stateFolder } = ${JSON.stringify(places)};
      for (const folder of [workspace, stateFolder]) mkdirSync(folder, { recursive: true });
      writeFileSync(workspace + '/a.txt', 'one');
      writeFileSync(workspace + '/ballast', Buffer.alloc(8 * 2 ** 20, 1));
      const short = (tree) => Object.fromEntries(Object.entries(tree).map(([path, text]) => [path, text.slice(0, 20)]));
      await using hands = await createHands({ workspace, stateFolder, configFolder: stateFolder + '/config', allow: ['write', 'exec'], sandbox: 'required' });
      const before = short(readTree(workspace));
      const result = await hands.call('run_command', { command: ${JSON.stringify(command)} });
      const after = short(readTree(workspace));
      const pending = hands.pendingChanges().map(({ handle }) => handle);
      rmSync(workspace + '/ballast');
      for (const handle of pending) await hands.applyPending(handle);
      console.log(JSON.stringify({ output: result.ok ? result.output : result.error.message, before, after, pending, rest: short(readTree(workspace)) }));`;
    mkdirSync(mounted, { recursive: true });
    const mount = 'mount -t tmpfs -o size="$2" tmpfs "$1" && shift 2 && exec "$@"';
    const child = spawn('unshare', ['--mount', 'sh', '-c', mount, 'sh', mounted, size, process.execPath, ...SCRIPT_OPTIONS, script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(child, 'close');
    return Said.parse(JSON.parse(text));
  }

  it('while it applies: nothing of it is applied, and it waits until there is room', { timeout: 60_000 }, async () => {
    const places = { workspace: join(base, 'small/workspace'), stateFolder: join(base, 'state') };
    const said = await onSmallDisk(
      join(base, 'small'),
      '16m',
      places,
      'echo two > a.txt; rm -f nothing; head -c 12000000 /dev/zero | tr "\\0" b > new',
    );
    expect(said.after).toEqual(said.before);
    expect(said.output).toMatch(/No changes were applied[^]*synapse changes pending c-/u);
    expect(said.pending).toHaveLength(1);
    expect(said.rest).toMatchObject({ 'a.txt': 'file 644 two\n', new: 'file 644 bbbbbbbbbbb' });
  });

  it('that the command itself filled: nothing is lost of what it made', { timeout: 60_000 }, async () => {
    const places = { workspace: join(base, 'small/workspace'), stateFolder: join(base, 'small/state') };
    const said = await onSmallDisk(join(base, 'small'), '12m', places, 'echo two > a.txt; head -c 12000000 /dev/zero > filler; true');
    // On a slow machine the disk is seen to fill up before the command ends.
    if (said.output.includes('was filling the disk')) {
      expect(said).toMatchObject({ after: said.before, pending: [] });
      return;
    }
    const isHeld = said.pending.length === 1;
    // Whether the last blocks suffice for the records of applying is up to the file system.
    if (isHeld) expect(said.after).toEqual(said.before);
    expect(said.rest['a.txt']).toBe('file 644 two\n');
    expect(said.rest['filler']).toBeDefined();
  });
});

describe.skipIf(!works)('what undo has no room for', () => {
  it('is asked about before it is applied, and a no drops it', async () => {
    const asked: ApprovalRequest[] = [];
    const answers = ['deny', 'allow'] as const;
    const ask = (request: ApprovalRequest) => {
      asked.push(request);
      return Promise.resolve(answers[asked.length - 1] === 'allow' ? ({ verdict: 'allow', scope: 'once' } as const) : ({ verdict: 'deny' } as const));
    };
    await using at = await temporaryHands(FILES, { ...required, allow: [], policy: { mode: 'trusted' }, approver: { name: 'person', ask } });
    // A file with holes is as large as it says for an undo, whatever the disk has.
    execFileSync('truncate', ['-s', '4T', at.at('huge')]);
    expect(output(await run(at, 'rm huge'))).toContain('dropped');
    expect(existsSync(at.at('huge'))).toBe(true);
    expect(asked[0]?.reason).toMatch(/^huge \(.*\) is more than the undo journal keeps$/u);
    expect(await run(at, 'rm huge')).toMatchObject({ ok: true, meta: { undo: 'not covered' } });
    expect(existsSync(at.at('huge'))).toBe(false);
  });

  it('waits where nobody can be asked', async () => {
    await using at = await temporaryHands(FILES, { ...required, allow: [], policy: { mode: 'trusted' } });
    execFileSync('truncate', ['-s', '4T', at.at('huge')]);
    expect(output(await run(at, 'rm huge; echo 2 > a.txt'))).toMatch(/huge \(.*\) is more than the undo journal keeps.*synapse changes apply c-/u);
    expect(existsSync(at.at('huge'))).toBe(true);
    const [pending] = at.hands.pendingChanges();
    expect(await at.hands.applyPending(pending?.handle ?? '')).toMatchObject({
      ok: true,
      output: expect.stringContaining('cannot be undone') as string,
    });
    expect(existsSync(at.at('huge'))).toBe(false);
  });
});

describe.skipIf(!works)('a copy that somebody tampered with', () => {
  /** Leaves changes waiting, and gives where their copy is. */
  async function held(at: TemporaryHands, command: string): Promise<{ readonly upper: string; readonly handle: string }> {
    await run(at, `${command}; sleep 60`, { timeout_ms: 1_500 });
    const areas = join(at.folder, '../state/transactions');
    const [workspace = ''] = readdirSync(areas);
    const [area = ''] = readdirSync(join(areas, workspace));
    return { upper: join(areas, workspace, area, 'upper'), handle: at.hands.pendingChanges()[0]?.handle ?? '' };
  }

  it.skipIf(!isRoot)('brings no device and no pipe into the workspace, and deletes nothing that is not there', async () => {
    await using at = await temporaryHands(FILES, required);
    const { upper, handle } = await held(at, 'echo 2 > a.txt; mkdir n');
    for (const [name, ...kind] of [
      ['null', 'c', '1', '3'],
      ['n/null', 'c', '1', '3'],
      ['n/mark', 'c', '0', '0'],
      ['disk', 'b', '7', '0'],
      ['pipe', 'p'],
      ['nothing', 'c', '0', '0'],
      ['d/x', 'c', '0', '0'],
    ])
      execFileSync('sh', ['-c', 'mkdir -p "$(dirname "$1")"; mknod "$@"', 'sh', join(upper, name ?? ''), ...kind]);
    expect(await at.hands.applyPending(handle)).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toMatchObject({ 'a.txt': 'file 644 2\n', n: expect.stringMatching(/^folder/u) as string });
    expect(readdirSync(at.folder).toSorted()).toEqual(['a.txt', 'd', 'n']);
    // A mark is what the kernel makes of a deletion: to be undone as such.
    expect([readdirSync(at.at('d')), readdirSync(at.at('n'))]).toEqual([[], []]);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(readdirSync(at.at('d'))).toEqual(['x']);
  });

  it('follows no link that took the place of a folder in it', async () => {
    await using at = await temporaryHands(FILES, required);
    const { upper, handle } = await held(at, 'echo 2 > d/x');
    mkdirSync(join(at.outside, 'd'));
    writeFileSync(join(at.outside, 'd/secret'), 's');
    renameSync(join(upper, 'd'), join(upper, 'was'));
    symlinkSync(join(at.outside, 'd'), join(upper, 'd'));
    await at.hands.applyPending(handle);
    expect(existsSync(at.at('secret')) || existsSync(at.at('d/secret')) === lstatSync(at.at('d')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(at.outside, 'd/secret'), 'utf8')).toBe('s');
  });
});

describe.skipIf(!works)('a workspace that changes under a command', () => {
  async function runWhile(at: TemporaryHands, command: string, meddle: () => void): Promise<CallResult> {
    let done = false;
    const onProgress = (): void => {
      if (!done) meddle();
      done = true;
      writeFileSync(join(at.folder, 'go'), '');
    };
    const wait = `cat d/x a.txt > /dev/null; echo ready; until ls -a . | grep -qx go; do sleep 0.01; done; `;
    const result = await at.hands.call('run_command', { command: wait + command }, { onProgress });
    rmSync(join(at.folder, 'go'));
    return result;
  }

  it('has a target that became a link: nothing goes through it', async () => {
    await using at = await temporaryHands(FILES, required);
    mkdirSync(join(at.outside, 'd'));
    writeFileSync(join(at.outside, 'd/x'), 'outside');
    const result = await runWhile(at, 'echo mine > d/x; echo mine > a.txt', () => {
      renameSync(at.at('d'), at.at('elsewhere'));
      symlinkSync(join(at.outside, 'd'), at.at('d'));
    });
    expect(output(result)).toMatch(/was changed by something else[^]*changes pending c-/u);
    expect(readFileSync(join(at.outside, 'd/x'), 'utf8')).toBe('outside');
    expect(readFileSync(at.at('elsewhere/x'), 'utf8')).toBe('x');
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('mine\n');
  });

  it.skipIf(!isRoot)('has targets that became immutable: nothing is half applied, and what was not waits', async ({ skip }) => {
    await using at = await temporaryHands(FILES, required);
    const chattr = (flag: string, path: string): void => void execFileSync('chattr', [flag, at.at(path)], { stdio: 'ignore' });
    try {
      chattr('+i', 'a.txt');
    } catch {
      skip('this file system has no immutable files');
    }
    using _ = { [Symbol.dispose]: () => ['a.txt', 'd'].forEach((path) => chattr('-i', path)) };
    chattr('-i', 'a.txt');
    const command = 'echo mine > d/x; echo new > b.txt; echo mine > a.txt';
    // In a folder that nothing can be put into, what was begun is taken back.
    const stopped = await runWhile(at, command, () => chattr('+i', 'd'));
    expect(output(stopped)).toMatch(/No changes were applied[^]*changes pending c-/u);
    expect(readTree(at.folder)).toMatchObject({ 'a.txt': 'file 644 one\n', 'd/x': 'file 644 x' });
    expect(existsSync(at.at('b.txt'))).toBe(false);
    chattr('-i', 'd');
    const [pending] = at.hands.pendingChanges();
    expect(await at.hands.applyPending(pending?.handle ?? '')).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toMatchObject({ 'a.txt': 'file 644 mine\n', 'd/x': 'file 644 mine\n', 'b.txt': 'file 644 new\n' });
    // A file that got the flag meanwhile was changed by something else.
    const left = await runWhile(at, 'echo 2 > a.txt; echo 2 > d/x', () => chattr('+i', 'a.txt'));
    expect(output(left)).toMatch(/a\.txt was changed by something else[^]*changes pending c-/u);
    expect(readTree(at.folder)).toMatchObject({ 'a.txt': 'file 644 mine\n', 'd/x': 'file 644 2\n' });
  });
});

/** `FILES=1000000` for the long run. */
const MANY = Number(process.env['FILES'] ?? 20_000);

it.skipIf(!works)(`applies ${MANY} new files and takes them back`, { timeout: 60_000 + MANY * 2 }, async () => {
  await using at = await temporaryHands(FILES, required);
  const start = performance.now();
  output(
    await run(at, `mkdir many; cd many; for d in $(seq 1 10); do mkdir $d; (cd $d; seq 1 ${MANY / 10} | xargs touch); done`, {
      timeout_ms: 3_600_000,
      // A million take longer than a call waits by itself.
      yield_ms: 0,
    }),
  );
  const applied = performance.now();
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  expect(readdirSync(at.at('many/7'))).toHaveLength(MANY / 10);
  expect(await at.hands.undo()).toMatchObject({ ok: true });
  process.stdout.write(
    `${MANY} new files: ${Math.round(applied - start)} ms to make and apply, ${Math.round(performance.now() - applied)} ms to undo, at most ${megabytes} MB then\n`,
  );
  expect(existsSync(at.at('many'))).toBe(false);
});
