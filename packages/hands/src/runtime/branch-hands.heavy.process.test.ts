import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CallEvent } from '@synapse/protocol';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import { BranchStore } from '../branch/branch-store.ts';
import { settlesWithin } from '../events/timing.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';

const works = (await findBubblewrap()) !== undefined;

/** Ends the processes of branches that this process started. */
function killBranches(): number {
  const found = readdirSync('/proc').filter((name) => {
    try {
      const parent = /^PPid:\s*(\d+)/mu.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      return Number(parent) === process.pid && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('serve-branch');
    } catch {
      return false;
    }
  });
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  return found.length;
}

/** A tool that waits until it is aborted. */
function waitingTool() {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'wait',
    description: 'Wait.',
    effects: 'read',
    input: z.strictObject({}),
    async execute(_, { signal }) {
      resolve();
      await once(signal, 'abort');
      throw signal.reason;
    },
  });
  return { tool, started };
}

/** A name that is known at run time. */
const of = (name: string): string => name;
const matching = (text: string): string => expect.stringContaining(text) as string;

describe.skipIf(!works)('hands on a branch', { timeout: 60_000 }, () => {
  it('work in it, apply it whole or by file, and delete it', async () => {
    await using bench = await temporaryHands({ a: 'old\n', b: 'b\n' });
    const { hands, at } = bench;
    await using branch = await hands.branch('one');
    expect([branch.workspace, branch.from, branch.name]).toEqual([bench.folder, null, 'one']);
    expect(await branch.call('read_file', { path: 'a' })).toMatchObject({ ok: true, data: { content: 'old\n' } });
    expect(await branch.call('write_file', { path: 'a', content: 'new\n' })).toMatchObject({ ok: true });
    expect(await branch.call('run_command', { command: 'cat a; rm b; echo c > c' })).toMatchObject({ ok: true, output: matching('new') });
    expect(readFileSync(at('a'), 'utf8')).toBe('old\n');
    expect((await branch.changes()).map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(['changed a', 'created c', 'deleted b']);
    expect(await branch.show()).toMatchObject({ more: 0, changes: expect.arrayContaining([expect.objectContaining({ path: 'a' })]) as unknown });
    expect(await branch.apply({ paths: ['a'] })).toMatchObject({ ok: true, data: { applied: 1, conflicts: [], left: 2 } });
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8')]).toEqual(['new\n', 'b\n']);
    expect(await branch.call('read_file', { path: 'c' })).toMatchObject({ ok: true, data: { content: 'c\n' } });
    expect(hands.branches()).toMatchObject([{ name: 'one' }]);
    expect(await branch.drop()).toMatchObject({ name: 'one' });
    expect(hands.branches()).toEqual([]);
    expect(await branch.call('read_file', { path: 'a' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });

  // A new branch of the same name has the work of another.
  it('do not work in a new branch of the name of theirs', async () => {
    await using bench = await temporaryHands({ a: 'old\n' });
    const { hands } = bench;
    await using branch = await hands.branch('one');
    expect(await branch.call('write_file', { path: 'a', content: 'first\n' })).toMatchObject({ ok: true });
    await branch.drop();
    await using second = await hands.branch('one');
    expect(await second.call('write_file', { path: 'a', content: 'second\n' })).toMatchObject({ ok: true });
    const refused = { code: 'not_found', message: 'Branch not found: one' };
    expect(await branch.call('write_file', { path: 'a', content: 'lost\n' })).toMatchObject({ ok: false, error: refused });
    expect(await branch.apply()).toMatchObject({ ok: false, error: refused });
    await expect(branch.drop()).rejects.toMatchObject(refused);
    await expect(branch.show()).rejects.toMatchObject(refused);
    await expect(branch.branch('two')).rejects.toMatchObject(refused);
    await expect(branch.createBranch('two')).rejects.toMatchObject(refused);
    expect(await second.call('read_file', { path: 'a' })).toMatchObject({ data: { content: 'second\n' } });
  });

  it('are made, found and based on each other', async () => {
    await using bench = await temporaryHands({ a: 'a\n' });
    const { hands } = bench;
    await expect(hands.branch('one', { create: false })).rejects.toMatchObject({ code: 'not_found' });
    await using first = await hands.branch('one');
    await first.call('write_file', { path: 'a', content: 'first\n' });
    await using second = await first.branch('two');
    expect(second.from).toBe('one');
    expect(await second.call('read_file', { path: 'a' })).toMatchObject({ data: { content: 'first\n' } });
    await expect(hands.branch('one', { from: 'two' })).rejects.toMatchObject({ code: 'already_exists' });
    await expect(hands.branch('../x')).rejects.toMatchObject({ code: 'invalid_arguments' });
    await using again = await hands.branch('one');
    expect(await again.call('read_file', { path: 'a' })).toMatchObject({ data: { content: 'first\n' } });
    // Others use it.
    expect(await first.apply()).toMatchObject({ ok: false, error: { code: 'busy' } });
    // As in the state folder of a branch.
    mkdirSync(join(bench.folder, '../state/base'));
    await expect(hands.branch('three')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('ask the approver, run trials, and tell progress, output and events', async () => {
    const asked: ApprovalRequest[] = [];
    const trials: unknown[] = [];
    const approver: Approver = {
      name: 'tester',
      async ask(request, signal): Promise<ApprovalAnswer> {
        asked.push(request);
        if (request.tryOut !== undefined) trials.push(await request.tryOut(signal));
        const [proposal] = request.proposals;
        return { verdict: 'allow', scope: 'session', ...(proposal === undefined ? {} : { proposal }) };
      },
    };
    await using bench = await temporaryHands({ a: 'a\n' }, { allow: [], approver });
    await using branch = await bench.hands.branch('one');
    const events: CallEvent[] = [];
    const stop = branch.subscribe((event) => void events.push(event));
    expect(await branch.call('write_file', { path: 'b', content: 'b\n' }, { sessionId: 's', callId: 'c1' })).toMatchObject({ ok: true });
    expect(asked[0]).toMatchObject({ tool: 'write_file', callId: 'c1', sessionId: 's', effects: ['writes b'] });
    expect(branch.policy().grants).toMatchObject([{ scope: 'session', tool: 'write_file' }]);
    expect(await branch.call('write_file', { path: 'b', content: 'c\n' })).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
    expect(branch.revoke(1)).toHaveLength(1);
    expect(await branch.call('write_file', { path: 'b', content: 'd\n' })).toMatchObject({ ok: true });
    expect(asked).toHaveLength(2);
    expect(bench.hands.policy().grants).toEqual([]);
    const heard: string[] = [];
    expect(
      await branch.call('run_command', { command: 'echo word; echo x > new' }, { asksFirst: 'all', onOutput: (output) => void heard.push(output) }),
    ).toMatchObject({ ok: true });
    expect(heard.join('')).toContain('word');
    expect(trials).toMatchObject([{ effect: { changes: [{ kind: 'created', path: 'new' }] } }]);
    expect(events.map(({ type, callId }) => (callId === 'c1' ? type : '')).filter((type) => type !== '')).toEqual(['call-start', 'call-end']);
    stop();
  });

  it('fail with one sentence if their process is killed, and go on with another', async () => {
    const { tool, started } = waitingTool();
    await using bench = await temporaryHands({ a: 'a\n' }, { tools: [tool] });
    await using branch = await bench.hands.branch('one');
    const ends: CallEvent[] = [];
    branch.subscribe((event) => void (event.type === 'call-end' && ends.push(event)));
    await branch.call('write_file', { path: 'a', content: 'kept\n' });
    const running = branch.call('wait', {}, { callId: 'long' });
    await started;
    expect(killBranches()).toBe(1);
    expect(await running).toMatchObject({
      ok: false,
      error: { code: 'unavailable', retryable: true, message: 'The process of the branch one ended (by SIGKILL).' },
      meta: { callId: 'long', tool: 'wait' },
    });
    expect(ends.at(-1)).toMatchObject({ callId: 'long', ok: false });
    expect(await branch.call('read_file', { path: 'a' })).toMatchObject({ ok: true, data: { content: 'kept\n' } });
    // Also if what mounted the branch is killed.
    const { folder } = new BranchStore(join(bench.folder, '../state'), bench.folder).get('one');
    process.kill(Number(readFileSync(folder.holder, 'utf8').split(' ')[0]), 'SIGKILL');
    const isEnded = branch.call('wait', {});
    expect(killBranches()).toBe(1);
    expect(await isEnded).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(await branch.call('read_file', { path: 'a' })).toMatchObject({ ok: true, data: { content: 'kept\n' } });
    expect(readFileSync(bench.at('a'), 'utf8')).toBe('a\n');
  });

  it('end at once, also while a tool of the embedding program runs', async () => {
    const { tool, started } = waitingTool();
    await using bench = await temporaryHands({ a: 'a\n' }, { tools: [tool] });
    const branch = await bench.hands.branch('one');
    const running = branch.call('wait', {});
    await started;
    const ended = Promise.all([branch[Symbol.asyncDispose](), running]);
    // Less than hands wait for calls that do not end.
    expect(await settlesWithin(ended, 8_000)).toBe(true);
    expect(await running).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  });

  it('cancel calls by their signal, and refuse what is no data, as others do', async () => {
    const { tool, started } = waitingTool();
    await using bench = await temporaryHands({ a: 'a\n' }, { tools: [tool] });
    await using branch = await bench.hands.branch('one');
    const stop = new AbortController();
    const [waiting, sleeping] = [branch.call('wait', {}, { signal: stop.signal }), branch.call('run_command', { command: 'sleep 60' }, stop)];
    await started;
    // Not while calls run.
    expect(await branch.apply()).toMatchObject({ ok: false, error: { code: 'busy' } });
    stop.abort();
    for (const result of [waiting, sleeping]) expect(await result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await branch.call('wait', {}, { signal: AbortSignal.abort() })).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    const input: unknown = { path: () => 'a' };
    for (const hands of [bench.hands, branch])
      expect(await hands.call(of('read_file'), input)).toMatchObject({
        ok: false,
        error: { code: 'invalid_arguments', message: 'path is a function; only JSON values can be sent.' },
      });
    expect(await branch.call(of('nope'))).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  });

  it('run the tools of the embedding program there, after the policy of the branch', async () => {
    const seen: unknown[] = [];
    const price = defineTool({
      name: 'price',
      description: 'Look up a price.',
      effects: 'read',
      input: z.strictObject({ article: z.string(), count: z.int().default(1) }),
      async execute({ article, count }, { origin, progress }) {
        seen.push(article, count, origin.sessionId, origin.branch);
        progress({ message: 'looking' });
        return `${article}: ${count * 3} euros`;
      },
    });
    const send = defineTool({
      name: 'send_mail',
      description: 'Send a mail.',
      effects: 'net',
      input: z.strictObject({ to: z.string() }),
      execute: async ({ to }) => ({ data: to, content: `sent to ${to}` }),
    });
    const peek = defineTool({
      name: 'peek',
      description: 'Read a file.',
      effects: 'read',
      input: z.strictObject({}),
      execute: async (_, { workspace }) => workspace.display('a'),
    });
    await using bench = await temporaryHands({ a: 'a\n' }, { tools: [price, send, peek] });
    await using branch = await bench.hands.branch('one');
    const messages: unknown[] = [];
    const options = { sessionId: 's', onProgress: (progress: { readonly message?: string | undefined }) => void messages.push(progress.message) };
    expect(await branch.call('price', { article: 'tea' }, options)).toMatchObject({ ok: true, output: 'tea: 3 euros', data: 'tea: 3 euros' });
    expect([seen, messages]).toEqual([['tea', 1, 's', 'one'], ['looking']]);
    expect(await branch.call(of('price'), { articel: 'tea' })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(await branch.call('send_mail', { to: 'x' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    expect(await branch.explain('send_mail', { to: 'x' })).toMatchObject({ verdict: 'ask' });
    const approver: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };
    expect(await branch.call('send_mail', { to: 'x' }, { approver })).toMatchObject({ ok: true, output: 'sent to x' });
    expect(await branch.call('peek', {})).toMatchObject({ ok: false, error: { code: 'unavailable', message: matching('peek uses ctx.workspace') } });
    expect(branch.tools().map(({ name }) => name)).toEqual(bench.hands.tools().map(({ name }) => name));
  });

  it('have dialects, formats, undo, pending changes and explanations', async () => {
    await using bench = await temporaryHands({ a: 'a\n' }, { allow: [] });
    await using branch = await bench.hands.branch('one');
    expect(branch.tools('openai')).toEqual(bench.hands.tools('openai'));
    expect(await branch.dialect('claude-code').call('Read', { file_path: bench.at('a') })).toMatchObject({ isError: false, output: matching('a') });
    expect(await branch.dialect('claude-code').call('Nope', {})).toMatchObject({ isError: true });
    const later: Approver = { name: 'later', ask: async () => ({ verdict: 'later' }) };
    const { meta } = await branch.call('run_command', { command: 'echo b > b' }, { approver: later });
    const [pending] = branch.pendingChanges();
    expect(meta.pending ?? 'none').toBe(pending?.handle);
    expect([pending?.files, bench.hands.pendingChanges()]).toEqual([1, []]);
    const handle = pending?.handle ?? '';
    expect((await branch.showPending(handle)).changes).toMatchObject([{ kind: 'created', path: 'b' }]);
    expect(await branch.applyPending(handle)).toMatchObject({ ok: true, data: { applied: 1 } });
    expect(await branch.explain('run_command', { command: 'cat b' })).toMatchObject({ verdict: 'allow' });
    expect(await branch.planUndo()).toMatchObject({ conflicts: [], changes: [{ path: 'b' }] });
    const yes: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };
    expect(await branch.undo({ last: 1 }, { approver: yes })).toMatchObject({ ok: true });
    expect(await branch.changes()).toEqual([]);
    await expect(branch.undo({ call: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are at least as strict as the hands that opened them, and end with them', async () => {
    const bench = await temporaryHands({ a: 'a\n' });
    await using branch = await bench.hands.branch('one');
    const write = async (): Promise<boolean> => (await branch.call('write_file', { path: 'x', content: '' })).ok;
    expect(await write()).toBe(true);
    bench.hands.limitMode('read-only');
    expect([branch.policy().mode, branch.limitMode('trusted'), await write()]).toEqual(['read-only', 'read-only', false]);
    bench.hands.limitMode('trusted');
    expect(await write()).toBe(true);
    expect([branch.limitMode('read-only'), await write()]).toEqual(['read-only', false]);
    writeFileSync(bench.at('a'), 'person\n');
    await bench[Symbol.asyncDispose]();
    expect(await branch.call('read_file', { path: 'a' })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(killBranches()).toBe(0);
  });
});
