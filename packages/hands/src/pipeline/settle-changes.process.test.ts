import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ApprovalAnswer, Approver } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { defineTool } from '../tool/tool.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { openRepository, person, yes } from '../testing/asked-repository.ts';

describe('a person is asked about what a command changed', () => {
  it('and the answer names what a command wrote to a place that is gone with it', async () => {
    await using at = await openRepository({ allow: ['exec', 'write'], approver: person(yes, yes) });
    const [outside, inside] = [await at.run('echo lab > ../lab.txt && cat ../lab.txt'), await at.run('echo lab > lab.txt && cat lab.txt')];
    expect(outside).toMatchObject({
      ok: true,
      data: { stdout: 'lab\n' },
      output: expect.stringContaining('../lab.txt did not last') as string,
    });
    expect(existsSync(at.at('../lab.txt'))).toBe(false);
    expect(inside).toMatchObject({ ok: true, data: { stdout: 'lab\n' }, output: expect.not.stringContaining('outside the workspace') as string });
    expect(existsSync(at.at('lab.txt'))).toBe(true);
  });

  it('and two commands that are harmless alone leave no repository together', async () => {
    const parts = ["printf '[core]\\n\\tfsmonitor = ./run\\n' > x/config", "mkdir -p x/objects x/refs; echo 'ref: refs/heads/main' > x/HEAD"];
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const ask = async (): Promise<ApprovalAnswer> => {
      if ((waiting += 1) === parts.length) both.resolve();
      await both.promise;
      return yes;
    };
    await using at = await openRepository({ approver: { name: 'person', ask } });
    execFileSync('sh', ['-c', 'mkdir x; echo 1 > x/kept'], { cwd: at.folder });
    const results = await Promise.all(parts.map((command) => at.run(command)));
    const left = ['config', 'HEAD'].filter((name) => existsSync(at.at(`x/${name}`)));
    expect(left).toHaveLength(1);
    expect(results.filter((result) => result.ok && result.output.includes('moved to quarantine'))).toHaveLength(1);
  });

  it('and a yes applies exactly that', async () => {
    const approver = person(yes);
    await using at = await openRepository({ approver });
    const result = await at.run('echo B >> a.txt; echo done; touch new.txt');
    expect(result).toMatchObject({ ok: true, data: { stdout: 'done\n' }, meta: { ran: 'copy', appliedFrom: 'copy', undo: 'covered' } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\nB\n');
    expect(approver.asked).toHaveLength(1);
    const [{ changed, effects } = {}] = approver.asked;
    expect(changed).toMatchObject({ headline: 'created 1 file and changed 1 file', output: 'done\n', completion: 'ok' });
    expect(changed?.effect.changes.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(['changed a.txt', 'created new.txt']);
    expect(changed?.effect.changes.find(({ path }) => path === 'a.txt')?.diff).toContain('+B');
    expect(effects).toEqual(['changes a.txt, +1 −0', 'creates new.txt', 'changes a.txt', 'creates new.txt']);
  });

  it('for as long as that takes: a command that has ended becomes no job', async () => {
    const yieldMs = 3_000;
    const startedAt = performance.now();
    let askedAfter = Number.POSITIVE_INFINITY;
    const ask = async (): Promise<ApprovalAnswer> => {
      askedAfter = performance.now() - startedAt;
      await delay(yieldMs + 500 - askedAfter);
      return yes;
    };
    await using at = await openRepository({ approver: { name: 'slow', ask } });
    const result = await at.hands.call('run_command', { command: 'echo B > b.txt', yield_ms: yieldMs }, { sessionId: 'one' });
    // On a very slow machine the command itself takes longer.
    if (askedAfter < yieldMs) expect(result).toMatchObject({ data: { exit_code: 0, job: null }, meta: { appliedFrom: 'copy' } });
    await expect.poll(() => existsSync(at.at('b.txt'))).toBe(true);
  });

  it('and a no drops it, while the model reads the output', async () => {
    await using at = await openRepository({ approver: person({ verdict: 'deny', reason: 'not like that' }) });
    const result = await at.run('echo B >> a.txt; echo done');
    expect(result).toMatchObject({ ok: true, data: { stdout: 'done\n', exit_code: 0 } });
    expect(result.ok && result.output).toContain('The workspace is unchanged: what it changed was dropped, as a person said: not like that.');
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
  });

  it('and an answer to other changes applies nothing', async () => {
    await using at = await openRepository({ approver: person({ verdict: 'allow', scope: 'once', effect: 'another' }) });
    const result = await at.run('echo B >> a.txt');
    expect(result.ok && result.output).toContain('the answer was to other changes');
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
  });

  it('and a rule that is kept with the yes asks no more', async () => {
    const approver = person(({ proposals: [proposal] }) => ({ verdict: 'allow', scope: 'session', ...(proposal === undefined ? {} : { proposal }) }));
    await using at = await openRepository({ approver });
    for (const _ of [1, 2]) expect(await at.run('sh -c "date +%N >> a.txt"')).toMatchObject({ meta: { appliedFrom: 'copy' } });
    expect(approver.asked).toHaveLength(1);
    expect(approver.asked[0]?.proposals.flatMap(({ rules }) => rules)).not.toHaveLength(0);
  });

  it('about a commit too, and its time stands still meanwhile', async () => {
    const approver = person(yes);
    const slow: Approver = {
      name: 'slow',
      ask: async (...asked) => (await new Promise((resolve) => setTimeout(resolve, 2_600)), await approver.ask(...asked)),
    };
    await using at = await openRepository({ approver: slow });
    const command = 'echo B >> a.txt && git -c user.name=a -c user.email=a@b commit -qam second';
    expect(await at.hands.call('run_command', { command, timeout_ms: 2_500 })).toMatchObject({ ok: true, data: { exit_code: 0, timed_out: false } });
    expect(at.git('log', '--format=%s')).toBe('second\nfirst\n');
    expect(at.git('status', '--porcelain')).toBe('');
  });
});

it('keeps the changes if there is no one to ask, and says so', async () => {
  await using at = await openRepository();
  const result = await at.run('echo B >> a.txt; echo done; exit 3');
  expect(result).toMatchObject({
    ok: true,
    data: { stdout: 'done\n', exit_code: 3 },
    meta: { completion: 'failed', pending: expect.stringMatching(/^c-/u) as string },
  });
  expect(result.ok && result.output).toMatch(/The workspace is unchanged: it changed 1 file.* synapse changes apply c-/u);
  expect(existsSync(at.at('a.txt')) && readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
});

describe('changes that wait', () => {
  /** The handle of what one command changed. */
  async function pending(at: Awaited<ReturnType<typeof openRepository>>): Promise<string> {
    const { meta } = await at.run('echo B >> a.txt; touch new.txt');
    return meta.pending ?? 'none';
  }

  it('are applied by a person, as a change that can be undone', async () => {
    await using at = await openRepository();
    const handle = await pending(at);
    expect(at.hands.pendingChanges()).toMatchObject([{ handle, files: 2, command: 'echo B >> a.txt; touch new.txt' }]);
    expect((await at.hands.showPending(handle)).changes.map(({ path }) => path).toSorted()).toEqual(['a.txt', 'new.txt']);
    // Later calls do not see them.
    expect(await at.run('cat a.txt')).toMatchObject({ data: { stdout: 'A\n' } });
    const applied = await at.hands.applyPending(handle);
    expect(applied).toMatchObject({ ok: true, data: { applied: 2, conflicts: [], undo: true } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\nB\n');
    expect(at.hands.pendingChanges()).toEqual([]);
    expect(await at.hands.undo({ call: applied.meta.callId }, { approver: person(yes) })).toMatchObject({ ok: true });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
    expect(existsSync(at.at('new.txt'))).toBe(false);
  });

  it('count the files that they delete', async () => {
    await using at = await openRepository();
    await at.run('rm a.txt; touch new.txt');
    expect(at.hands.pendingChanges()).toMatchObject([{ files: 2 }]);
  });

  it('are dropped by a person', async () => {
    await using at = await openRepository();
    const handle = await pending(at);
    expect(await at.hands.dropPending(handle)).toMatchObject({ handle });
    expect(at.hands.pendingChanges()).toEqual([]);
    expect(await at.hands.applyPending(handle)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\n');
  });

  it('leave alone what something else changed since, and are no tool of a brain', async () => {
    await using at = await openRepository();
    const handle = await pending(at);
    await writeFile(at.at('a.txt'), 'mine\n');
    expect(await at.hands.applyPending(handle)).toMatchObject({ ok: true, data: { conflicts: [{ path: 'a.txt' }] } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('mine\n');
    expect(await at.hands.call('apply_changes', { handle })).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  });
});

it('keeps what a person had no time for', async () => {
  await using at = await openRepository({ approver: person({ verdict: 'later' }) });
  expect(await at.run('touch b')).toMatchObject({ ok: true, meta: { pending: expect.stringMatching(/^c-/u) as string } });
  expect(existsSync(at.at('b'))).toBe(false);
});

/** Says that it only lists, and writes. */
const liar = defineTool({
  name: 'liar',
  title: 'Liar',
  description: 'Writes a file.',
  effects: 'exec',
  input: z.strictObject({}),
  output: z.strictObject({ printed: z.string() }),
  runs: { live: () => undefined },
  permission: () => [{ action: 'exec', resource: 'ls' }],
  timeoutMs: 10_000,
  keep: 'ends',
  summarize: () => 'liar',
  async execute(_, ctx) {
    let printed = '';
    const cwd = (): PinnedDirectory => ctx.workspace.openDirectory('.');
    const onOutput = (__: unknown, chunk: Buffer): void => void (printed += chunk.toString());
    await ctx.processes.run({ argv: ['/bin/sh', '-c', 'echo seen; touch b'], cwd, hardened: true, signal: ctx.signal, onOutput });
    return { data: { printed }, content: printed };
  },
});

describe('a command that only seemed to read', () => {
  it('runs again, unseen, and is asked about what it changed', async () => {
    const approver = person(yes);
    await using at = await openRepository({ approver, tools: [liar] });
    expect(await at.hands.call('liar')).toMatchObject({ ok: true, data: { printed: 'seen\n' }, meta: { ran: 'copy', appliedFrom: 'copy' } });
    expect(approver.asked).toHaveLength(1);
  });

  it.each<[string, Omit<HandsOptions, 'workspace'>]>([
    ['where commands are refused', { policy: { mode: 'read-only' } }],
    ['if commands can reach a network without a question', { network: 'on' }],
    ['where there are no copies', { undoCommands: false }],
  ])('writes nothing %s', async (_, options) => {
    await using at = await openRepository({ ...options, tools: [liar] });
    const result = await at.hands.call('liar');
    expect(result.ok && JSON.stringify(result.data)).toContain('Read-only file system');
    expect(result.meta.ran).toBe('read-only');
    expect(existsSync(at.at('b'))).toBe(false);
  });
});
