import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpPlace } from './fixtures/raw-hands.ts';
import { marked, unmarked } from './fixtures/marked-output.ts';

const servers = (key: string, value: object): string => JSON.stringify({ [key]: value });

describe('servers of files', () => {
  it.each([
    ['.mcp.json', 'mcpServers'],
    ['.vscode/mcp.json', 'servers'],
    ['.synapse/config.jsonc', 'mcp'],
  ])('are never started from %s of an untrusted folder, and the reason is reported', async (file, key) => {
    await using place = await mcpPlace();
    const raw = { raw: place.raw() };
    await place.write(`workspace/${file}`, servers(key, key === 'mcp' ? { servers: raw } : raw));
    const hands = await place.open();
    await hands.mcp.settled();
    expect(hands.mcp.list()).toMatchObject([{ name: 'raw', state: 'untrusted', reason: expect.stringContaining('synapse projects trust') }]);
    expect(await hands.call('mcp:raw:echo', { text: 'x' })).toMatchObject({
      ok: false,
      error: {
        code: 'unavailable',
        message: expect.stringContaining('untrusted folder'),
        hint: expect.stringContaining(`synapse projects trust ${place.workspace}`),
      },
    });
    expect(await hands.mcp.approve('raw')).toMatchObject({ state: 'untrusted' });
    await hands[Symbol.asyncDispose]();
    expect(place.noted()).toEqual([]);
    place.trust();
    const trusted = await place.open();
    const { output } = (await trusted.call('mcp:raw:environment', {})) as { output: string };
    expect(JSON.parse(unmarked(output))).toMatchObject({ cwd: place.workspace });
  });

  it('are asked about when they come or change after the folder was trusted', async () => {
    await using place = await mcpPlace();
    await place.write('workspace/.mcp.json', servers('mcpServers', { a: place.raw() }));
    place.trust();
    // Also where nobody used a server of it yet.
    await place.write('workspace/.vscode/mcp.json', servers('servers', { early: place.raw() }));
    const first = await place.open();
    expect(first.mcp.list()).toMatchObject([{ name: 'a' }, { name: 'early', state: 'unapproved', reason: expect.stringContaining('it is new in') }]);
    await place.write('workspace/.vscode/mcp.json', servers('servers', {}));
    expect(await first.call('mcp:a:echo', { text: 'x' })).toMatchObject({ ok: true });
    await first[Symbol.asyncDispose]();
    await place.write('workspace/.mcp.json', servers('mcpServers', { a: place.raw('child'), b: { ...place.raw(), env: { KEY: 'hidden-value-1' } } }));
    const hands = await place.open();
    expect(hands.mcp.list()).toMatchObject([
      { name: 'a', state: 'unapproved', reason: expect.stringContaining('it was changed in'), wants: [expect.stringContaining('"child"')] },
      {
        name: 'b',
        state: 'unapproved',
        reason: expect.stringContaining('it is new in'),
        wants: [expect.stringContaining('raw-server.ts'), 'with the variables KEY'],
      },
    ]);
    expect(JSON.stringify(hands.mcp.list())).not.toContain('hidden-value-1');
    expect(await hands.call('mcp:b:echo', { text: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'unavailable', hint: expect.stringContaining('synapse mcp approve b') },
    });
    expect(place.noted().filter((line) => line.startsWith('started'))).toHaveLength(1);
    expect(await hands.mcp.approve('b')).toMatchObject({ state: 'ready' });
    await hands[Symbol.asyncDispose]();
    const next = await place.open();
    expect(await next.call('mcp:b:echo', { text: 'x' })).toMatchObject({ ok: true });
    expect(next.mcp.list()).toMatchObject([{ state: 'unapproved' }, { state: 'ready' }]);
  });

  it('show the person who allows them which variables of the environment they get, and no secret of it', async () => {
    process.env['TEST_API_KEY'] = 'key_very_secret_1234';
    onTestFinished(() => void delete process.env['TEST_API_KEY']);
    await using place = await mcpPlace();
    const key = '${TEST_API_KEY}';
    const far = { url: `http://127.0.0.1:9/${key}/mcp?key=${key}` };
    const near = { command: `/${key}/server`, args: ['${TEST_API_KEY:-none}', '${HOME}'], cwd: `/${key}`, env: { KEY: key } };
    await place.write('workspace/.mcp.json', servers('mcpServers', { far, near }));
    const hands = await place.open();
    expect(hands.mcp.list()).toMatchObject([
      { state: 'untrusted', wants: ['connects to http://127.0.0.1:9/[redacted]/mcp', 'is given, of your environment, TEST_API_KEY'] },
      { state: 'untrusted', wants: expect.arrayContaining(['in /[redacted]', 'is given, of your environment, TEST_API_KEY, HOME']) },
    ]);
    expect(JSON.stringify(hands.mcp.list())).not.toContain('very_secret');
    await hands[Symbol.asyncDispose]();
    place.trust();
    const trusted = await place.open({ connect: 'demand' });
    const [reached, started] = [await trusted.mcp.test('far'), await trusted.mcp.test('near')];
    expect(JSON.stringify([reached, started])).not.toContain('very_secret');
    expect(reached).toMatchObject({ state: 'waiting', reason: 'cannot be reached', target: 'http://127.0.0.1:9/[redacted]/mcp' });
  });

  it('are called in messages as they are in rules, whatever the file calls them', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { 'my \u001b[31mserver': { command: process.execPath, args: ['-e', 'process.exit(3)'] } } });
    await hands.mcp.settled();
    const [{ name, reason } = { name: '' }] = hands.mcp.list();
    expect(reason).toBe('ended with exit code 3');
    expect(await hands.call(`mcp:${name}:x`, {})).toMatchObject({ error: { message: expect.stringContaining(`The MCP server ${name} ended`) } });
  });

  it('of the user count in every folder, and before those of the project', async () => {
    await using place = await mcpPlace();
    const command = JSON.stringify(place.raw());
    await place.write('config/config.jsonc', `{ // mine\n "mcp": { "searchAbove": 3, "servers": { "raw": ${command}, } } }`);
    await place.write(
      'workspace/.mcp.json',
      servers('mcpServers', { raw: { command: 'touch', args: [join(place.notes, 'hacked')] }, off: { command: 'x', disabled: true } }),
    );
    place.trust();
    const hands = await place.open();
    expect(await hands.call('mcp:raw:echo', { text: 'mine' })).toMatchObject({ ok: true, output: marked('mine') });
    expect(hands.mcp.list().map(({ name, state }) => [name, state])).toEqual([
      ['raw', 'ready'],
      ['off', 'disabled'],
    ]);
    expect(hands.mcp.problems).toEqual([expect.stringContaining('the server raw is the one of')]);
    expect(hands.tools().map(({ name }) => name)).toContain('mcp_search');
  });

  it('start although another file is broken, and another server is', async () => {
    await using place = await mcpPlace();
    await place.write('workspace/.mcp.json', `{"mcpServers":{\n"bad":{"command":5},\n"good":${JSON.stringify(place.raw())}}}`);
    await place.write('workspace/.vscode/mcp.json', '{"servers": oops');
    place.trust();
    const hands = await place.open();
    expect(await hands.call('mcp:good:echo', { text: 'x' })).toMatchObject({ ok: true });
    expect(hands.mcp.problems).toEqual([
      expect.stringMatching(/\.mcp\.json:2:8: mcpServers\.bad\.command: /u),
      expect.stringMatching(/\.vscode\/mcp\.json:1:13: servers: this is not JSON/u),
    ]);
  });

  it.each(['['.repeat(50_000), `{"mcpServers":{"a":${'{"a":'.repeat(3_000)}1${'}'.repeat(3_002)}`])(
    'start although another file is nested without an end',
    async (text) => {
      await using place = await mcpPlace();
      await place.write('workspace/.mcp.json', text);
      await place.write('config/config.jsonc', servers('mcp', { servers: { good: place.raw() } }));
      const hands = await place.open();
      expect(await hands.call('mcp:good:echo', { text: 'x' })).toMatchObject({ ok: true });
      expect(hands.mcp.problems).toEqual([expect.stringMatching(/\.mcp\.json cannot be read: it is nested more than 64 levels deep/u)]);
    },
  );

  it('are not waited for where a pipe has the name of the file', async () => {
    await using place = await mcpPlace();
    execFileSync('mkfifo', [join(place.workspace, '.mcp.json')]);
    const hands = await place.open();
    expect(hands.mcp.list()).toEqual([]);
    expect(hands.mcp.problems).toEqual([expect.stringContaining('no regular file')]);
  });

  it('are none where the hands are opened without', async () => {
    await using place = await mcpPlace();
    await place.write('config/config.jsonc', servers('mcp', { servers: { raw: place.raw() } }));
    const hands = await place.open(undefined, { mcp: false });
    expect(hands.mcp.list()).toEqual([]);
    expect(await hands.call('mcp:raw:echo', { text: 'x' })).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    await expect(hands.mcp.test('raw')).rejects.toMatchObject({ code: 'not_found' });
    expect(place.noted()).toEqual([]);
  });

  it('are connected only when they are needed, where that is wanted', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { a: place.raw(), b: place.raw() }, connect: 'demand' });
    expect(await hands.call('read_file', { path: 'nothing' })).toMatchObject({ ok: false });
    expect(place.noted()).toEqual([]);
    expect(await hands.dialect('synapsis').call('mcp_tool', { server: 'a', tool: 'echo', arguments: { text: 'through synapsis' } })).toMatchObject({
      output: marked('through synapsis'),
      isError: false,
    });
    expect(place.noted().filter((line) => line.startsWith('started'))).toHaveLength(1);
    expect(
      hands
        .dialect('synapsis')
        .tools()
        .map(({ name }) => name),
    ).toContain('mcp_tool');
  });
});
