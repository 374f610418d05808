import { Client, type ClientOptions, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { existsSync } from 'node:fs';
import { createHands, type ApprovalAnswer } from '@synapse/hands';
import { openWindow, windowApprover } from '@synapse/hands/internal';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { connectStreams } from '../fixtures/stream-client.ts';
import { runMcpServer } from '../run-mcp-server.ts';

interface Asked {
  readonly message: string;
  readonly requestedSchema: { readonly properties: { readonly decision: { readonly enum: string[] } } };
}
type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

const open: Client[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((client) => client.close()))));

/** A client whose person answers as told, on a workspace of its own. */
async function connect(mode: VersionNegotiationMode, answers: Answer[] | undefined, options: ClientOptions = {}, name = 'test') {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const state = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  const capabilities = answers === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name, version: '0' }, { versionNegotiation: { mode }, capabilities, ...options });
  const asked: Asked[] = [];
  if (answers !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params as unknown as Asked);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('asked too often');
      return answer;
    });
  }
  await connectStreams(client, async (streams) => {
    const approver = windowApprover({ stateFolder: state, root: () => workspace, from: 'fixture' });
    await using hands = await createHands({ workspace, stateFolder: state, approver });
    await runMcpServer({ hands, name: 'fixture', version: '1.2.3', ...streams });
  });
  open.push(client);
  return { client, asked, state, exists: (name: string): boolean => existsSync(join(workspace, name)) };
}

const write = (path: string, content = 'hello\n') => ({ name: 'write_file', arguments: { path, content } });
const accept = (decision: string, reason?: string): Answer => ({
  action: 'accept',
  content: { decision, ...(reason === undefined ? {} : { reason }) },
});

describe.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of %s', (_, mode) => {
  it('is asked, with all that will happen, and a yes lets it happen, once', async () => {
    const { client, asked, exists } = await connect(mode, [accept('allow'), accept('allow')]);
    expect((await client.callTool(write('a.txt'))).isError).toBeUndefined();
    expect(exists('a.txt')).toBe(true);
    expect(asked[0]?.message).toContain('write_file');
    for (const part of ['path: a.txt', '+ hello', 'writes a.txt', 'write(/a.txt)']) expect(asked[0]?.message).toContain(part);
    await client.callTool(write('a.txt', 'again\n'));
    expect(asked).toHaveLength(2);
  });

  it('may allow for the session', async () => {
    const { client, asked } = await connect(mode, [accept('session')]);
    for (const content of ['1\n', '2\n']) expect((await client.callTool(write('a.txt', content))).isError).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it.each<[string, Answer, string]>([
    ['says no, and why', accept('deny', 'use b.txt'), 'They said: use b.txt'],
    ['says no', accept('deny'), 'They said: no'],
  ])('%s, and nothing is done', async (_name, answer, words) => {
    const { client, asked, exists } = await connect(mode, [answer]);
    const result = await client.callTool(write('a.txt'));
    expect(result).toMatchObject({ isError: true, _meta: { 'synapse/code': 'denied' } });
    expect(JSON.stringify(result.content)).toContain(words);
    expect(asked).toHaveLength(1);
    expect(exists('a.txt')).toBe(false);
  });

  it.each<[string, Answer]>([
    ['closes the question', { action: 'cancel' }],
    ['declines before anybody could read it', { action: 'decline' }],
  ])('that %s says nothing for a person, and the answer is what would allow it', async (_name, answer) => {
    const { client, asked, exists } = await connect(mode, [answer]);
    const result = await client.callTool(write('a.txt'));
    expect(result).toMatchObject({ isError: true, _meta: { 'synapse/code': 'approval_required' } });
    expect(JSON.stringify(result.content)).toContain('the allow rule write(/a.txt), or --yes (CLI), --allow write (MCP server)');
    expect(JSON.stringify(result.content)).not.toContain('said');
    expect(asked).toHaveLength(1);
    expect(exists('a.txt')).toBe(false);
  });

  it('that cannot ask gets approval_required at once', async () => {
    const { client, exists } = await connect(mode, undefined);
    expect(await client.callTool(write('a.txt'))).toMatchObject({ isError: true, _meta: { 'synapse/code': 'approval_required' } });
    expect(exists('a.txt')).toBe(false);
  });

  it('is shown what cannot be seen', async () => {
    const { client, asked } = await connect(mode, [{ action: 'decline' }]);
    await client.callTool({ name: 'run_command', arguments: { command: `echo a${' '.repeat(5_000)}; rm -rf b \u202e`, live: true } });
    expect(asked[0]?.message).toContain('echo a⟨5,000 spaces⟩; rm -rf b <U+202E>');
  });

  it('is not asked what is too long to be shown whole', async () => {
    const { client, asked, exists } = await connect(mode, []);
    const result = await client.callTool(write('a.txt', 'line\n'.repeat(20_000)));
    expect(result).toMatchObject({ _meta: { 'synapse/code': 'approval_required' } });
    expect(asked).toEqual([]);
    expect(exists('a.txt')).toBe(false);
  });

  it.each<[string, string, string]>([
    ['cut', 'claude-code', 'line\n'.repeat(100)],
    ['not show at all', 'test', 'line\n'.repeat(20_000)],
  ])('gets what it would %s asked in an open console, and after it is closed here', async (_name, name, content) => {
    const { client, asked, state, exists } = await connect(mode, [accept('allow')], {}, name);
    const inWindow: string[] = [];
    const answer: Parameters<typeof openWindow>[1]['answer'] = async ({ request }): Promise<ApprovalAnswer> => {
      inWindow.push(String(request.arguments['path']));
      return { verdict: 'allow', scope: 'once' };
    };
    {
      await using _window = await openWindow(state, { answer, fillForm: async () => undefined });
      expect((await client.callTool(write('short.txt'))).isError).toBeUndefined();
      expect((await client.callTool(write('long.txt', content))).isError).toBeUndefined();
    }
    // What it shows in full, it is asked.
    expect([inWindow, asked.length, exists('short.txt'), exists('long.txt')]).toEqual([['long.txt'], 1, true, true]);
    await client.callTool(write('later.txt', content)).catch(() => undefined);
    expect([inWindow.length, exists('later.txt')]).toEqual([1, false]);
  });

  it('that cannot ask gets a message at once that a person is asked in an open console', async () => {
    const { client, state, exists } = await connect(mode, undefined);
    const told = Promise.withResolvers<string>();
    const answer: Parameters<typeof openWindow>[1]['answer'] = async (): Promise<ApprovalAnswer> => {
      await told.promise;
      return { verdict: 'allow', scope: 'once' };
    };
    await using _window = await openWindow(state, { answer, fillForm: async () => undefined });
    const onprogress = ({ message }: { readonly message?: string | undefined }): void => told.resolve(message ?? '');
    expect((await client.callTool(write('a.txt'), { onprogress })).isError).toBeUndefined();
    expect(await told.promise).toBe('This call waits for a person, who is asked in the open Synapse console.');
    expect(exists('a.txt')).toBe(true);
  });

  it('is not asked about what is allowed', async () => {
    const { client, asked } = await connect(mode, []);
    expect((await client.callTool({ name: 'list_directory', arguments: {} })).isError).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('a client that makes its own retries', () => {
  interface Round {
    readonly resultType?: string;
    readonly requestState?: string;
    readonly inputRequests?: Record<string, unknown>;
    readonly isError?: boolean;
  }
  const yes = { approval: accept('allow') };

  async function manual() {
    const place = await connect({ pin: '2026-07-28' }, [], { inputRequired: { autoFulfill: false } });
    const call = async (params: object): Promise<Round> =>
      (await place.client.request({ method: 'tools/call', params } as never, { allowInputRequired: true } as never)) as Round;
    return { ...place, call };
  }

  it('gets a question, and its answer counts for that call', async () => {
    const { call, exists } = await manual();
    const round = await call(write('a.txt'));
    expect(round).toMatchObject({ resultType: 'input_required', inputRequests: { approval: { method: 'elicitation/create' } } });
    expect(exists('a.txt')).toBe(false);
    const done = await call({ ...write('a.txt'), inputResponses: yes, requestState: round.requestState });
    expect(done.resultType).not.toBe('input_required');
    expect(exists('a.txt')).toBe(true);
  });

  it('cannot approve other arguments, another tool, or twice', async () => {
    const { call, exists } = await manual();
    const { requestState } = await call(write('a.txt'));
    const again = (params: object): Promise<Round> => call({ ...params, inputResponses: yes, requestState });
    expect(await again(write('b.txt'))).toMatchObject({ resultType: 'input_required' });
    expect(await again(write('a.txt', 'other\n'))).toMatchObject({ resultType: 'input_required' });
    expect(await again({ name: 'run_command', arguments: { command: 'touch c.txt' } })).toMatchObject({ resultType: 'input_required' });
    expect([exists('a.txt'), exists('b.txt'), exists('c.txt')]).toEqual([false, false, false]);
    const both = await Promise.all([again(write('a.txt')), again(write('a.txt'))]);
    expect(both.filter(({ resultType }) => resultType === 'input_required')).toHaveLength(1);
    expect(await again(write('a.txt'))).toMatchObject({ resultType: 'input_required' });
  });

  it('cannot approve without a state of this server', async () => {
    const { call, exists } = await manual();
    expect(await call({ ...write('a.txt'), inputResponses: yes })).toMatchObject({ resultType: 'input_required' });
    const { requestState = '' } = await call(write('a.txt'));
    const [version, body = '', mac = ''] = requestState.split('.');
    const forged = Buffer.from(
      Buffer.from(body, 'base64url')
        .toString()
        .replace(/"exp":\d+/u, '"exp":9999999999'),
    ).toString('base64url');
    const other = (await (await manual()).call(write('a.txt'))).requestState;
    for (const state of ['', 'nonsense', `${version}.${body}.`, `${version}.${forged}.${mac}`, other]) {
      await expect(call({ ...write('a.txt'), inputResponses: yes, requestState: state })).rejects.toMatchObject({ code: -32602 });
    }
    expect(exists('a.txt')).toBe(false);
  });

  it.each<[string, unknown]>([
    ['no answer', {}],
    ['another key', { other: accept('allow') }],
    ['a wrapped answer', { approval: { method: 'elicitation/create', result: accept('allow') } }],
  ])('is asked anew with %s', async (_, inputResponses) => {
    const { call, exists } = await manual();
    const { requestState } = await call(write('a.txt'));
    expect(await call({ ...write('a.txt'), inputResponses, requestState })).toMatchObject({ resultType: 'input_required' });
    expect(exists('a.txt')).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['no content', { action: 'accept' }, 'denied'],
    ['an unknown decision', { action: 'accept', content: { decision: 'yes' } }, 'denied'],
    ['a list', { action: 'accept', content: { decision: ['allow'] } }, 'denied'],
    ['a yes that is declined at once', { action: 'decline', content: { decision: 'allow' } }, 'approval_required'],
  ])('gets no further with %s', async (_, approval, code) => {
    const { call, exists } = await manual();
    const { requestState } = await call(write('a.txt'));
    expect(await call({ ...write('a.txt'), inputResponses: { approval }, requestState })).toMatchObject({
      isError: true,
      _meta: { 'synapse/code': code },
    });
    expect(exists('a.txt')).toBe(false);
  });
});
