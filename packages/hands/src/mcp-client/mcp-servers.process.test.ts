import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Progress } from '@synapse/protocol';
import { queryAudit } from '../audit/query-audit.ts';
import { isRunning, mcpPlace } from './fixtures/raw-hands.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { marked, unmarked } from './fixtures/marked-output.ts';

const pidOf = (line: string | undefined): number => Number(line?.split(' ')[1]);

describe('MCP servers of hands', () => {
  it('offer their tools, through the whole pipeline', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: place.raw('paged', 'greets') } });
    await hands.mcp.settled();
    expect(hands.tools().filter(({ effects }) => effects === 'mcp')).toHaveLength(12);
    expect(hands.mcp.list()).toMatchObject([
      {
        name: 'raw',
        state: 'ready',
        connection: { transport: 'stdio', server: { name: 'raw', version: '1' }, protocolVersion: '2025-06-18' },
        problems: [],
      },
    ]);
    // Programs replace some of these functions in a copy of the object.
    const copy = { ...hands.mcp };
    await copy.settled();
    expect([copy.list().length, copy.tools().length, (await copy.test('raw')).state]).toEqual([1, 12, 'ready']);
    expect(await hands.call('mcp:raw:echo', { text: 'hello' })).toMatchObject({ ok: true, output: marked('hello'), meta: { tool: 'mcp:raw:echo' } });
    expect(await hands.call('mcp:raw:echo', { txt: 'hello' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', message: expect.stringContaining('text is missing') },
    });
    expect(await hands.call('mcp:raw:ecko', {})).toMatchObject({
      ok: false,
      error: { code: 'unknown_tool', hint: expect.stringContaining('mcp:raw:echo') },
    });
    expect(await hands.call('mcp:rav:echo', {})).toMatchObject({
      ok: false,
      error: {
        code: 'unknown_tool',
        message: expect.stringContaining('MCP server not found: "rav"'),
        hint: 'Did you mean raw? The servers are: raw.',
      },
    });
    expect(place.noted().filter((line) => line.startsWith('called'))).toEqual(['called echo']);
    const audited = [...queryAudit(place.stateFolder, place.workspace, {})];
    expect(audited.at(-1)).toMatchObject({
      start: { tool: 'mcp:raw:echo', arguments: { text: 'hello' } },
      end: { effects: 'mcp', resources: [{ action: 'mcp', resource: 'mcp:raw:echo' }] },
    });
  });

  it('are spoken to in the protocol of 2026 where they know no other', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: place.raw('modern') } });
    expect(await hands.call('mcp:raw:echo', { text: 'hello' })).toMatchObject({ ok: true, output: marked('hello') });
    expect(hands.mcp.list()).toMatchObject([{ state: 'ready', connection: { protocolVersion: '2026-07-28' } }]);
    const cancelling = new AbortController();
    const cancelled = hands.call('mcp:raw:wait', {}, { signal: cancelling.signal });
    await place.until(() => place.noted().includes('called wait'));
    cancelling.abort();
    expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    await place.until(() => place.noted().some((line) => line.startsWith('cancelled')));
  });

  it.each([
    ['nobody allowed it', {}, {}, 'approval_required'],
    ['a rule denies the server', { policy: { deny: ['mcp(raw)'] } }, { allow: ['mcp' as const] }, 'denied'],
    ['a rule denies the tool', { policy: { deny: ['mcp(raw:harm*)'] } }, { allow: ['mcp' as const] }, 'denied'],
  ])('are not called where %s, whatever a tool says of its own harmlessness', async (_, policy, more, code) => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: place.raw() } }, { allow: [], ...policy, ...more });
    expect(await hands.call('mcp:raw:harmless', {})).toMatchObject({ ok: false, error: { code } });
    expect(place.noted()).not.toContain('called harmless');
  });

  it('are called where a rule allows them', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: place.raw() } }, { allow: [], policy: { allow: ['mcp(raw:*)'], deny: ['mcp(raw:echo)'] } });
    expect(await hands.call('mcp:raw:harmless', {})).toMatchObject({ ok: true, output: marked('done') });
    expect(await hands.call('mcp:raw:echo', { text: 'x' })).toMatchObject({ ok: false, error: { code: 'denied' } });
  });

  it('are waited for by the name that a model knows from before', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: place.raw(), off: { command: 'x', disabled: true } } });
    expect(await hands.call('mcp__raw__echo', { text: 'early' })).toMatchObject({ ok: true, output: marked('early') });
    expect(await hands.call('mcp__raw__none', {})).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    expect(await hands.call('mcp__off__echo', {})).toMatchObject({ ok: false, error: { message: expect.stringContaining('is not started') } });
    await hands[Symbol.asyncDispose]();
    expect([...queryAudit(place.stateFolder, place.workspace, { tool: 'mcp:raw:echo' })]).toMatchObject([{ status: 'ok' }]);
  });

  it('delay nobody when they hang at the start', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { silent: place.raw('silent'), raw: place.raw() }, connectTimeoutMs: 6_000 });
    expect(hands.mcp.list().map(({ state }) => state)).toEqual(['connecting', 'connecting']);
    expect(await hands.call('mcp:raw:echo', { text: 'here' })).toMatchObject({ ok: true });
    expect(hands.mcp.list()[0]).toMatchObject({ state: 'connecting' });
    expect(await hands.call('mcp:silent:echo', { text: 'x' })).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: true } });
    expect(hands.mcp.list()[0]).toMatchObject({ state: 'waiting', reason: 'did not say hello within 6 s' });
  });

  it('fail their calls at once when they die, and come back', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: place.raw() } });
    const waiting = hands.call('mcp:raw:wait', {});
    await place.until(() => place.noted().includes('called wait'));
    const dying = await hands.call('mcp:raw:die', {});
    for (const result of [dying, await waiting]) {
      expect(result).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: true, message: expect.stringContaining('is gone') } });
      expect(result.meta.durationMs).toBeLessThan(25_000);
    }
    expect(hands.mcp.list()[0]).toMatchObject({ state: 'waiting', reason: 'ended with exit code 3' });
    expect(await hands.call('mcp:raw:echo', { text: 'x' })).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: true } });
    await place.until(() => hands.mcp.list()[0]?.state === 'ready');
    expect(await hands.call('mcp:raw:echo', { text: 'again' })).toMatchObject({ ok: true, output: marked('again') });
  });

  it('get a cancellation when a call is cancelled or too slow, and go on', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: { ...place.raw(), timeout: 300 } } });
    await hands.mcp.settled();
    expect(await hands.call('mcp:raw:wait', {})).toMatchObject({ ok: false, error: { code: 'timeout' }, meta: { completion: 'timeout' } });
    const cancelling = new AbortController();
    const cancelled = hands.call('mcp:raw:wait', {}, { signal: cancelling.signal });
    await place.until(() => place.noted().filter((line) => line === 'called wait').length === 2);
    cancelling.abort();
    expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    await place.until(() => place.noted().filter((line) => line.startsWith('cancelled')).length === 2);
    expect(await hands.call('mcp:raw:echo', { text: 'alive' })).toMatchObject({ ok: true });
    expect(place.noted().filter((line) => line.startsWith('started'))).toHaveLength(1);
  });

  it('get more time with each word of progress, up to an end', async () => {
    // A word comes in a sixteenth of the time for one: a loaded machine may be that late.
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: { ...place.raw(), timeout: 800 } }, maxTimeoutMs: 2_000 });
    await hands.mcp.settled();
    const told: Progress[] = [];
    const result = await hands.call('mcp:raw:work', { steps: 24, everyMs: 50 }, { onProgress: (progress) => void told.push(progress) });
    expect(result).toMatchObject({ ok: true, output: marked('worked') });
    expect(result.meta.durationMs).toBeGreaterThan(1_000);
    expect(told[0]).toEqual({ message: 'step 1', progress: 1, total: 24 });
    expect(await hands.call('mcp:raw:work', { steps: 1_000, everyMs: 50 })).toMatchObject({
      ok: false,
      error: { code: 'timeout', message: expect.stringContaining('2000 ms') },
    });
    // What a caller allows is all there is.
    expect(await hands.call('mcp:raw:work', { steps: 1_000, everyMs: 50 }, { timeoutMs: 450 })).toMatchObject({
      ok: false,
      error: { code: 'timeout' },
    });
  });

  it.each(['messages', 'junk', 'line'])('are ended when they flood with %s, and nobody else suffers', async (what) => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { bad: place.raw(), good: place.raw() } });
    await hands.mcp.settled();
    const before = process.memoryUsage().rss;
    const flooded = hands.call('mcp:bad:flood', { what });
    expect(await hands.call('mcp:good:echo', { text: 'fine' })).toMatchObject({ ok: true });
    expect(await flooded).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: true } });
    expect(hands.mcp.list()[0]?.reason).toMatch(/sent (?:far more than anybody asked for|a message of more than 16 MiB)/u);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    await place.until(() => hands.mcp.list()[0]?.state === 'ready');
    const [first, , third] = place.noted().filter((line) => line.startsWith('started'));
    expect([first, third].map((line) => isRunning(pidOf(line)))).toEqual([expect.any(Boolean), true]);
  });

  it('leave nothing behind, also when they do not want to end and when they started something', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { a: place.raw('child'), b: place.raw('stubborn', 'child'), c: place.raw('silent', 'child') } });
    await place.until(() => place.noted().filter((line) => line.startsWith('child')).length === 3);
    await hands.call('mcp:a:echo', { text: 'x' });
    const pids = place
      .noted()
      .filter((line) => /^(?:started|child)/u.test(line))
      .map(pidOf);
    expect(pids.map(isRunning)).toEqual([true, true, true, true, true, true]);
    await hands[Symbol.asyncDispose]();
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('get a clean environment, and their words go to a log without its secrets', async () => {
    await using place = await mcpPlace();
    process.env['SOME_SECRET_TOKEN'] = 'not-for-servers-1234';
    const hands = await place.open({ servers: { raw: { ...place.raw(), env: { API_TOKEN: 'tok_0123456789abc', MODE: 'test' } } } });
    try {
      const { output } = (await hands.call('mcp:raw:environment', {})) as { output: string };
      const { env, cwd } = JSON.parse(unmarked(output)) as { env: Record<string, string>; cwd: string };
      expect(env).toMatchObject({ API_TOKEN: 'tok_0123456789abc', MODE: 'test', PATH: process.env['PATH'] });
      expect(env).not.toHaveProperty('SOME_SECRET_TOKEN');
      // The folder is not trusted: what it holds must not be what `npx` finds.
      expect(cwd).toBe(process.env['HOME']);
    } finally {
      delete process.env['SOME_SECRET_TOKEN'];
    }
    await hands[Symbol.asyncDispose]();
    const folder = join(place.stateFolder, 'mcp');
    const [id = ''] = readdirSync(folder);
    const log = readFileSync(join(folder, id, 'raw.log'), 'utf8');
    expect(log).toBe('started with [redacted] \\x1b[31mred\n');
    const audit = JSON.stringify([...queryAudit(place.stateFolder, place.workspace, {})]);
    expect(audit).not.toContain('tok_0123456789abc');
  });

  it('run in a folder of their workspace, wherever this process is', async () => {
    await using place = await mcpPlace();
    await place.write('workspace/sub/a.txt', '');
    place.trust();
    const hands = await place.open({ servers: { raw: { ...place.raw(), cwd: 'sub' } } });
    const { output } = (await hands.call('mcp:raw:environment', {})) as { output: string };
    expect(JSON.parse(unmarked(output))).toMatchObject({ cwd: join(place.workspace, 'sub') });
  });

  it('say why they cannot be started at all', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: { command: process.execPath, args: ['x'.repeat(200_000)] } } });
    await hands.mcp.settled();
    expect(hands.mcp.list()).toMatchObject([{ state: 'failed', reason: expect.stringContaining('longer than the operating system takes') }]);
  });

  it('follow a list that changes, once for many words', async () => {
    await using place = await mcpPlace();
    await place.tools([{ name: 'extra', description: 'One.', inputSchema: { type: 'object' } }]);
    const hands = await place.open({ servers: { raw: place.raw() } });
    await hands.mcp.settled();
    const offers = (): boolean => hands.tools().some(({ name }) => name === 'mcp:raw:extra');
    expect(offers()).toBe(true);
    let heard = 0;
    const forget = hands.onToolsChanged(() => (heard += 1));
    await place.tools([]);
    await hands.call('mcp:raw:changed', { times: 200 });
    await place.until(() => !offers());
    expect(heard).toBe(1);
    expect(await hands.call('mcp:raw:extra', {})).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    // It comes back as it was approved.
    await place.tools([{ inputSchema: { type: 'object' }, description: 'One.', name: 'extra' }]);
    await hands.call('mcp:raw:changed', {});
    await place.until(offers);
    expect(heard).toBe(2);
    forget();
  });

  it('follow a list that changes while it is being read', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { raw: place.raw('restless') } });
    await hands.mcp.settled();
    await hands.call('mcp:raw:changed', {});
    await place.until(() => place.noted().includes('listing'));
    await place.tools([{ name: 'late', description: 'Late.', inputSchema: { type: 'object' } }]);
    const isNoticed = (): boolean => hands.mcp.list()[0]?.pendingReview.length === 1;
    expect(isNoticed()).toBe(false);
    await place.until(isNoticed);
    expect(hands.mcp.list()).toMatchObject([{ pendingReview: [{ name: 'mcp:raw:late', kind: 'new' }] }]);
  });

  it('are searched instead of listed when they have too many tools', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { many: place.raw('many=60'), raw: place.raw() } });
    await hands.mcp.settled();
    const foreign = hands
      .tools()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('mcp'));
    expect(foreign).toEqual(['mcp_search', 'mcp_call']);
    const found = await hands.call('mcp_search', { query: 'thing number 42', limit: 1 });
    expect(found).toMatchObject({ ok: true, data: { tools: [{ name: 'mcp:many:tool_42' }] } });
    const called = await hands.call('mcp_call', { name: 'mcp:many:tool_42', arguments: {} });
    expect(called).toMatchObject({ ok: true, output: marked('called tool_42'), meta: { tool: 'mcp:many:tool_42' } });
    expect(await hands.call('mcp_call', { name: 'mcp:raw:echo', arguments: {} })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('text is missing') },
    });
    expect(await hands.call('mcp_call', { name: 'mcp:many:nothing' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await hands.call('mcp_call', { nam: 'x' })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(await hands.call('mcp_call', { name: 'read_file', arguments: { path: '/etc/passwd' } })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments' },
    });
    const audited = [...queryAudit(place.stateFolder, place.workspace, {})].map(({ start }) => start.tool);
    expect(audited.filter((tool) => tool === 'mcp:many:tool_42')).toHaveLength(1);
  });

  it('are judged by their own names when they are called through mcp_call', async () => {
    await using place = await mcpPlace();
    const hands = await place.open(
      { servers: { many: place.raw('many=60') }, searchAbove: 5 },
      { allow: [], policy: { allow: ['mcp(many:tool_1)'] } },
    );
    await hands.mcp.settled();
    expect(await hands.call('mcp_call', { name: 'mcp:many:tool_1' })).toMatchObject({ ok: true });
    expect(await hands.call('mcp_call', { name: 'mcp:many:tool_2' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    expect(await hands.explain('mcp_call', { name: 'mcp:many:tool_2' })).toMatchObject({ verdict: 'ask' });
  });
});

it('tells what a server said that did not come up', async () => {
  const program = (code: string): object => ({ command: process.execPath, args: ['-e', code] });
  const servers = {
    keyless: program('console.error("starting\\nmissing API key FOO_KEY"); process.exit(1)'),
    chatty: program('console.log("Server ready on port 3000"); setInterval(() => {}, 1_000)'),
  };
  await using place = await temporaryHands({}, { mcp: { files: false, connect: 'demand', connectTimeoutMs: 6_000, servers } });
  expect(await place.hands.mcp.test('keyless')).toMatchObject({
    reason: 'ended with exit code 1',
    said: { stderr: ['starting', 'missing API key FOO_KEY'], stdout: [] },
  });
  expect(await place.hands.mcp.test('chatty')).toMatchObject({
    reason: expect.stringContaining('did not say hello') as string,
    said: { stderr: [], stdout: ['Server ready on port 3000'] },
  });
});
