import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settlesWithin } from '../events/timing.ts';
import { LocalProcesses } from '../process/local-processes.ts';
import { openRoot } from '../workspace/open-root.ts';
import { LanguageServers, type LanguageServersParts } from './language-servers.ts';
import type { ServerRow } from './server-table.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/server.ts', import.meta.url));
const ROW: ServerRow = { name: 'Fixture', languages: { x: 'x' }, programs: [], manifests: ['x.json'], install: 'build it' };
const FILE = { path: 'a.x', language: 'x', text: 'text' };

let base = '';
let alive: number[] = [];
let stack: AsyncDisposableStack;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'synapse-lsp-'));
  alive = [];
  stack = new AsyncDisposableStack();
});
afterEach(async () => {
  await stack.disposeAsync();
});

/** Servers of one kind, and how often one was started. */
function servers(mode: string, { endsAfterMs = 0, ...more }: Partial<LanguageServersParts> & { readonly endsAfterMs?: number } = {}) {
  const { confinement } = openRoot(base, join(base, '..', 'none'));
  const local = new LocalProcesses();
  const starts: number[] = [];
  stack.defer(() => {
    local[Symbol.dispose]();
    confinement[Symbol.dispose]();
  });
  const pool = new LanguageServers({
    root: confinement.root,
    directory: () => confinement.openDirectory([]),
    isTrusted: () => false,
    open: () => ({
      run: async (request) => {
        starts.push(performance.now());
        alive.push(1);
        try {
          return await local.run(request);
        } finally {
          if (endsAfterMs > 0) await delay(endsAfterMs);
          alive.pop();
        }
      },
      isConfined: async () => true,
      [Symbol.asyncDispose]: async () => {},
    }),
    mayRunUnconfined: () => false,
    servers: [ROW],
    find: async () => ({ argv: [process.execPath, FIXTURE, mode, join(base, 'marker')], origin: 'Fixture 1', place: base }),
    ...more,
  });
  stack.use(pool);
  const check = (text = 'text', signal = AbortSignal.timeout(60_000)) => pool.check(ROW, { ...FILE, text }, async () => [], signal);
  return { pool, starts, check };
}
const finding = (message: string): object => ({ line: 2, column: 3, severity: 'error', code: '', message });

describe('a server that sends unrequested messages', () => {
  it('is not believed at its first word, which says nothing', async () => {
    const { check, starts } = servers('push');
    expect(await check('one')).toEqual({ findings: [finding('µ one')], origin: 'Fixture 1' });
    expect(await check('two')).toEqual({ findings: [finding('µ two')], origin: 'Fixture 1' });
    expect(starts).toHaveLength(1);
  });

  it('is waited for as long as it says that it works', async () => {
    expect((await servers('progress').check()).findings).toEqual([finding('text')]);
  });

  it('is not waited for, nor taken for content, while it says that it cannot load the project', async () => {
    const { check } = servers('unloaded');
    const checked = check();
    const isSoon = settlesWithin(
      checked.catch(() => {}),
      9_000,
    );
    await expect(checked).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Fixture 1 says: Error loading workspace: go: module lookup disabled by GOPROXY=off.',
    });
    expect(await isSoon).toBe(true);
    await expect(check()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is believed once it has loaded the project', async () => {
    expect((await servers('loaded-later').check()).findings).toEqual([finding('text')]);
  });

  it('is not believed about other files and other times', async () => {
    expect((await servers('stale').check()).findings).toEqual([finding('text')]);
  });

  it('says no more than can be read', async () => {
    expect((await servers('many').check()).findings).toHaveLength(1_000);
  });

  it('answers one question after the other', async () => {
    const { check } = servers('push');
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => check(text)));
    expect(answers.map(({ findings }) => findings?.[0]?.message)).toEqual(['µ a', 'µ b', 'µ c']);
  });

  it('is asked about several files together, and about each as it is', async () => {
    const { pool, starts } = servers('together');
    const signal = AbortSignal.timeout(60_000);
    const check = async (path: string) => (await pool.check(ROW, { ...FILE, path }, async () => [], signal)).findings;
    expect(await Promise.all(['a.x', 'b.x', 'c.x', 'a.x'].map(check))).toEqual([
      [finding('3 open')],
      [finding('3 open')],
      [finding('3 open')],
      [finding('1 open')],
    ]);
    expect(starts).toHaveLength(1);
  });

  it('goes on for the others if one caller no longer waits', async () => {
    const { pool } = servers('together');
    const gone = new AbortController();
    const check = async (path: string, signal: AbortSignal) => (await pool.check(ROW, { ...FILE, path }, async () => [], signal)).findings;
    const [first, second] = [check('a.x', gone.signal), check('b.x', AbortSignal.timeout(60_000))];
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(await second).toHaveLength(1);
    expect(await check('c.x', AbortSignal.timeout(60_000))).toEqual([finding('1 open')]);
  });

  it('restarts after a change of the project configuration', async () => {
    const { pool, starts } = servers('stale');
    const look = (modified: number) => async () => [{ path: 'x.json', size: 1, modified }];
    const signal = AbortSignal.timeout(60_000);
    for (const modified of [1, 1, 2]) await pool.check(ROW, FILE, look(modified), signal);
    expect(starts).toHaveLength(2);
  });
});

describe('a server that does not work', () => {
  it('is started once more, and then told of', async () => {
    const { check, starts } = servers('crash');
    await expect(check()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('exit code 3') as string });
    expect(starts).toHaveLength(2);
    await expect(check()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(check()).rejects.toMatchObject({ code: 'unavailable' });
    // Three times within a minute are enough.
    expect(starts).toHaveLength(3);
  });

  it('is there again after it ended once', async () => {
    const { check, starts } = servers('crash-once');
    expect((await check()).findings).toEqual([finding('text')]);
    expect(starts).toHaveLength(2);
  });

  it.each([
    ['flood', 'more than it was asked'],
    ['huge', 'a message that is too large'],
    ['garbage', 'a header without an end'],
  ])('is ended: %s', async (mode, why) => {
    await expect(servers(mode).check()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(why) as string });
    expect(alive).toHaveLength(0);
  });

  it.each(['hang', 'hang-at-start'])('hurts only the call that waits for it: %s', async (mode) => {
    const { check, pool } = servers(mode);
    const controller = new AbortController();
    const waiting = check('text', controller.signal);
    const behind = check('text', controller.signal);
    setTimeout(() => controller.abort(new Error('over')), 300);
    await expect(waiting).rejects.toThrow('over');
    await expect(behind).rejects.toThrow('over');
    await pool[Symbol.asyncDispose]();
    expect(alive).toHaveLength(0);
  });

  it('is there again after it hung, once it was asked for long enough', async () => {
    const { check, starts } = servers('hang-once', { silentMs: 500 });
    for (let tries = 0; tries < 100 && starts.length < 2; tries += 1) await check('text', AbortSignal.timeout(300)).catch(() => {});
    expect((await check()).findings).toEqual([finding('text')]);
    expect(starts).toHaveLength(2);
  });

  it.each([0, 300])('is ended where it refuses to begin, and says why, though that takes %i ms more', async (endsAfterMs) => {
    const { check } = servers('refuse', { endsAfterMs });
    await expect(check()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The language server of Fixture does not work: it refuses to begin: No license for this machine.',
    });
    expect(alive).toHaveLength(0);
  });

  it('is killed where it does not go', async () => {
    const { check, pool } = servers('stubborn');
    const controller = new AbortController();
    const waiting = check('text', controller.signal);
    setTimeout(() => controller.abort(new Error('over')), 500);
    await expect(waiting).rejects.toThrow('over');
    expect(alive).toHaveLength(1);
    await pool[Symbol.asyncDispose]();
    expect(alive).toHaveLength(0);
  });

  it('is reported if it is missing', async () => {
    const { check } = servers('push', { find: async () => undefined });
    await expect(check()).rejects.toMatchObject({
      code: 'unavailable',
      hint: expect.stringMatching(
        /^A person can install one: build it\. One that is inside the workspace runs only once .* synapse projects trust\.$/u,
      ) as string,
    });
  });

  it('cannot be started', async () => {
    const { check } = servers('push', { find: async () => ({ argv: ['/nonexistent/server'], origin: 'none', place: '/' }) });
    await expect(check()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('exit code 127') as string });
  });

  it('ends before it answers, as one that is not installed in full, so that repeating the call is of no use', async () => {
    const { check } = servers('push', { find: async () => ({ argv: ['/bin/sh', '-c', 'exit 1'], origin: 'none', place: '/' }) });
    for (let tries = 0; tries < 3; tries += 1)
      await expect(check()).rejects.toMatchObject({
        message: 'The language server of Fixture does not start: it ended with exit code 1.',
        hint: 'A person can install it in full: build it. Until then, run_command can run the compiler or checker of the project.',
      });
    await expect(servers('crash').check()).rejects.toMatchObject({ hint: expect.stringMatching(/^Repeat the call/u) as string });
  });
});

describe('without a sandbox', () => {
  const open = () => ({ run: () => expect.fail('started'), isConfined: async () => false, [Symbol.asyncDispose]: async () => {} });

  it('a server is a command, and needs what a command needs', async () => {
    const { check } = servers('push', { open });
    await expect(check()).rejects.toMatchObject({ code: 'approval_required', hint: expect.stringContaining('bubblewrap') as string });
  });

  it('runs where the policy lets it', async () => {
    const asked: string[] = [];
    const local = new LocalProcesses();
    stack.use(local);
    const { check } = servers('push', {
      open: () => ({ run: (request) => local.run(request), isConfined: async () => false, [Symbol.asyncDispose]: async () => {} }),
      mayRunUnconfined: (program) => asked.push(program) > 0,
    });
    expect((await check()).findings).toHaveLength(1);
    expect(asked).toEqual([process.execPath]);
  });
});
