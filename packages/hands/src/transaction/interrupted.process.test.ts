import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHands, type Hands } from '../index.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';

describe.skipIf((await findBubblewrap()) === undefined)('a command whose Synapse is killed', () => {
  let base: string;
  const at = (path: string): string => join(base, 'workspace', path);
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-interrupted-')));
    mkdirSync(join(base, 'workspace'));
    writeFileSync(at('a.txt'), 'one\n');
  });
  const options = () => ({
    workspace: join(base, 'workspace'),
    stateFolder: join(base, 'state'),
    configFolder: join(base, 'config'),
    allow: ['write', 'exec'] as const,
    sandbox: 'required' as const,
  });
  const open = (): Promise<Hands> => createHands(options());

  /** Runs a command in another process of Synapse, which kills itself at the first output. */
  async function interrupt(command: string, callOptions: object = {}): Promise<void> {
    const script = `
      const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
      // Killed processes keep nothing for the next.
      (await import('node:module')).flushCompileCache();
      const hands = await createHands(${JSON.stringify(options())});
      const onProgress = () => process.kill(process.pid, 'SIGKILL');
      await hands.call('run_command', { command: ${JSON.stringify(command)} }, { onProgress, ...${JSON.stringify(callOptions)} });`;
    const started = runScript(script);
    await started.output;
    expect(started.process.signalCode).toBe('SIGKILL');
  }

  it('leaves the workspace alone, and what it did so far waits for a person', async () => {
    await interrupt('echo two >> a.txt; mkdir d; echo new > d/new; echo ready; sleep 60');
    await using hands = await open();
    const [waiting, ...others] = hands.pendingChanges();
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({ command: expect.stringContaining('echo two') as string, files: 2, why: 'Synapse was ended while it ran' });
    expect([readFileSync(at('a.txt'), 'utf8'), existsSync(at('d'))]).toEqual(['one\n', false]);
    expect(await hands.applyPending(waiting?.handle ?? '')).toMatchObject({ ok: true, data: { conflicts: [] } });
    expect([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('d/new'), 'utf8')]).toEqual(['one\ntwo\n', 'new\n']);
    expect(hands.pendingChanges()).toEqual([]);
  });

  it('is named by the next command, once', async () => {
    await interrupt('echo two >> a.txt; echo ready; sleep 60');
    await using hands = await open();
    const next = await hands.call('run_command', { command: 'echo b > b.txt' });
    expect(next.ok && next.output).toMatch(/ended while an earlier command ran[^]*synapse changes pending c-[0-9a-f]+/u);
    const later = await hands.call('run_command', { command: 'echo c > c.txt' });
    expect(later.ok && later.output).not.toContain('earlier command');
    expect(hands.pendingChanges()).toHaveLength(1);
  });

  it.each(['interrupted', 'unanswered'])('is recorded without the secrets in it, also where it is %s', async (end) => {
    const secret = `ghp_${'a1'.repeat(18)}`;
    const command = `echo ${secret} > two.txt; echo ready`;
    if (end === 'interrupted') await interrupt(`${command}; sleep 60`);
    else {
      await using asking = await createHands({ ...options(), allow: [] });
      await asking.call('run_command', { command });
    }
    // Not what it wrote itself.
    const records = globSync('transactions/*/*/{record.json,reserve}', { cwd: join(base, 'state') }).map((path) =>
      readFileSync(join(base, 'state', path), 'utf8'),
    );
    expect(records).not.toEqual([]);
    expect(records.join()).not.toContain(secret);
    await using hands = await open();
    const [waiting] = hands.pendingChanges();
    expect(waiting?.command).toMatch(/^echo \[redacted\] > two\.txt; echo ready/u);
    await hands.applyPending(waiting?.handle ?? '');
    expect(readFileSync(at('two.txt'), 'utf8')).toContain(secret);
  });

  it('does not overwrite what something else changed since', async () => {
    await interrupt('echo two >> a.txt; echo ready; sleep 60');
    writeFileSync(at('a.txt'), 'theirs\n');
    await using hands = await open();
    const [waiting] = hands.pendingChanges();
    expect(await hands.applyPending(waiting?.handle ?? '')).toMatchObject({ ok: true, data: { applied: 0, conflicts: [{ path: 'a.txt' }] } });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('theirs\n');
  });

  /** Runs a command that changes all files, in another process of Synapse, which does something once it has applied a part of them. */
  function applyPartly(midway: string): ReturnType<typeof runScript> {
    for (const name of FILES) writeFileSync(at(name), 'one\n');
    const script = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const original = fs.renameSync;
      let left = Infinity;
      fs.renameSync = (...given) => {
        original(...given);
        left -= 1;
        if (left !== 0) return;
        fs.writeSync(1, 'applying');
        ${midway};
      };
      syncBuiltinESMExports();
      const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
      const hands = await createHands(${JSON.stringify(options())});
      // One names the record of what waits; the others are exchanges.
      const call = hands.call('run_command', { command: 'for i in *.txt; do echo two > $i; done; echo ready' }, { onProgress: () => (left = 4) });
      const { ok } = await call;
      await hands[Symbol.asyncDispose]();
      fs.writeSync(1, ok ? ' applied' : ' refused');`;
    return runScript(script);
  }
  const FILES = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt'];
  const texts = (): string[] => [...new Set(FILES.map((name) => readFileSync(at(name), 'utf8')))];

  it('is not applied in part when a person drops what was applied in part', async () => {
    const started = applyPartly(`process.kill(process.pid, 'SIGKILL')`);
    expect(await started.output).toBe('applying');
    expect(started.process.signalCode).toBe('SIGKILL');
    expect(texts().toSorted()).toEqual(['one\n', 'two\n']);
    await using hands = await open();
    const [waiting] = hands.pendingChanges();
    await hands.dropPending(waiting?.handle ?? '');
    expect(texts()).toEqual(['one\n']);
    expect(hands.pendingChanges()).toEqual([]);
  });

  it('is applied as a whole, and can be undone, if a person drops it meanwhile in another process', async () => {
    const goOn = join(base, 'go-on');
    const started = applyPartly(`while (!fs.existsSync(${JSON.stringify(goOn)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)`);
    await new Promise((resolve) => started.process.stdout?.once('data', resolve));
    await using hands = await open();
    const [waiting] = hands.pendingChanges();
    const dropped = hands.dropPending(waiting?.handle ?? '').then(
      () => 'dropped',
      (error: unknown) => error,
    );
    writeFileSync(goOn, '');
    expect(await started.output).toBe('applying applied');
    expect(await dropped).toMatchObject({ code: 'not_found' });
    expect(texts()).toEqual(['two\n']);
    expect(await hands.undo()).toMatchObject({ ok: true });
    expect(texts()).toEqual(['one\n']);
  });

  it('leaves nothing where it changed nothing, or only tried', async () => {
    await interrupt('echo ready; sleep 60; echo > after');
    await interrupt('echo two >> a.txt; echo ready; sleep 60', { dryRun: true });
    await using hands = await open();
    expect(hands.pendingChanges()).toEqual([]);
    const next = await hands.call('run_command', { command: 'echo b > b.txt' });
    expect(next.ok && next.output).not.toContain('earlier command');
  });
});
