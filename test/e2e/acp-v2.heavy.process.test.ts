import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { realServer, startHttp } from '../../packages/hands/src/mcp-client/fixtures/real-server.ts';
import { startChatServer, type ChatBody, type Scripted } from '../agent/scripted-chat.ts';
import { pipesOf, rawAgent, request } from './acp-agent.ts';
import { makePlace, startCli, type Place } from './run-cli.ts';

const FILES = { 'a.txt': 'one\ntwo\n' };
const calls = (name: string, input: unknown): Scripted => ({ kind: 'calls', calls: [{ id: '1', name, input: JSON.stringify(input) }] });
const say = (answer: string): Scripted => ({ kind: 'text', text: answer });
const EDIT = calls('edit_file', { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'zwei' }] });
const SLOW = calls('run_command', { command: 'touch begun; sleep 300', live: true });
const INITIALIZE = request(1, 'initialize', { protocolVersion: 2, info: { name: 'raw', version: '1' } });
/** The process starts, and works, under load. */
const SOON = { timeout: 60_000 };

type Kind = SessionUpdate['sessionUpdate'];
const textBlock = (value: string) => ({ type: 'text' as const, text: value });

/** Connects the SDK's client of version 2 to the built command line. */
async function editor(
  place: Place,
  url: string,
  choose: (question: RequestPermissionRequest) => string = () => 'once',
  words: readonly string[] = [],
) {
  const child = startCli(place, ['acp', '--model', 'scripted', '--base-url', url, ...words]);
  const { stdin, stdout } = pipesOf(child);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const { agent } = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      return { outcome: { outcome: 'selected', optionId: choose(params) } };
    })
    .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout)));
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    info: { name: 'test', version: '1' },
    capabilities: {},
  });
  const of = <Name extends Kind>(kind: Name) =>
    updates.filter((update): update is Extract<SessionUpdate, { sessionUpdate: Name }> => update.sessionUpdate === kind);
  const states = (): unknown[] =>
    of('state_update').map(({ state, ...rest }) => ('stopReason' in rest && typeof rest.stopReason === 'string' ? rest.stopReason : state));
  return {
    agent,
    child,
    updates,
    questions,
    initialized,
    of,
    states,
    begin: async () => (await agent.request(methods.agent.session.new, { cwd: place.folder })).sessionId,
    send: (sessionId: string, words: string) => agent.request(methods.agent.session.prompt, { sessionId, prompt: [textBlock(words)] }),
    /** Waits until the session has been idle so many times. */
    idle: async (times = 1) => await vi.waitFor(() => expect(of('state_update').filter(({ state }) => state === 'idle')).toHaveLength(times), SOON),
    said: () => of('agent_message_chunk').map(({ content }) => (content.type === 'text' ? content.text : '')),
    async leave() {
      stdin.end();
      expect((await ended)[0]).toBe(0);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const scripted = (script: readonly Scripted[] | ((body: ChatBody, index: number) => Scripted | Promise<Scripted>)) =>
  startChatServer(typeof script === 'function' ? script : (_, index) => script[index] ?? say('Done.'));

it('tells what it offers, takes a prompt, streams, and tells the end', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([say('It is a small project of two files.')]);
  const at = await editor(place, server.url);
  expect(at.initialized).toEqual({
    protocolVersion: 2,
    info: { name: 'synapse', title: 'Synapse', version: expect.any(String) as string },
    capabilities: { session: { prompt: { image: {}, embeddedContext: {} }, mcp: { stdio: {}, http: {} } } },
  });
  const made = await at.agent.request(methods.agent.session.new, { cwd: place.folder });
  expect(made.configOptions).toMatchObject([
    { type: 'select', configId: 'mode', category: 'mode', currentValue: 'ask', options: [{ value: 'read-only' }, { value: 'ask' }] },
  ]);
  expect(made.availableCommands).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'command', name: 'undo' })]));
  const { messageId } = await at.send(made.sessionId, 'What is it?');
  await at.idle();
  expect(at.of('user_message')).toEqual([{ sessionUpdate: 'user_message', messageId, content: [textBlock('What is it?')] }]);
  expect(at.said().join('')).toBe('It is a small project of two files.');
  expect(at.said().length).toBeGreaterThan(1);
  expect(new Set(at.of('agent_message_chunk').map((chunk) => chunk.messageId)).size).toBe(1);
  expect(at.states()).toEqual(['running', 'end_turn']);
  expect(at.updates.at(-1)).toMatchObject({ sessionUpdate: 'state_update', state: 'idle' });
  await at.leave();
});

describe('a call', () => {
  it('is asked about with all that it does, and shown with what it changed', async () => {
    const place = await makePlace(FILES);
    await using server = await scripted([EDIT]);
    const at = await editor(place, server.url);
    await at.send(await at.begin(), 'Translate');
    await at.idle();
    const path = join(place.folder, 'a.txt');
    expect(await readFile(path, 'utf8')).toBe('one\nzwei\n');
    const [question] = at.questions;
    expect(question?.title).toContain('a.txt');
    for (const part of ['two', 'zwei', 'write(/a.txt)']) expect(question?.description).toContain(part);
    const [start] = at.of('tool_call_update');
    expect(start).toMatchObject({ status: 'in_progress', kind: 'edit', name: 'edit_file', locations: [{ path }] });
    expect(question?.subject).toMatchObject({ type: 'tool_call', toolCall: { toolCallId: start?.toolCallId, status: 'pending' } });
    expect(at.of('tool_call_update').map(({ status }) => status)).toEqual(['in_progress', 'in_progress', 'completed']);
    const end = at.of('tool_call_update').at(-1);
    expect(end).toMatchObject({ toolCallId: start?.toolCallId, status: 'completed' });
    const diff = end?.content?.[0];
    expect(diff).toMatchObject({ type: 'diff', changes: [{ operation: 'modify', path }], patch: { format: 'git_patch' } });
    const patch = diff !== undefined && 'patch' in diff ? (diff.patch as { text: string }).text : '';
    const applied = spawnSync('git', ['apply', '--reverse', '-'], { cwd: place.folder, input: patch, encoding: 'utf8' });
    expect([applied.status, applied.stderr, await readFile(path, 'utf8')]).toEqual([0, '', FILES['a.txt']]);
    expect(at.states()).toEqual(['running', 'requires_action', 'running', 'end_turn']);
    await at.leave();
  });

  it('that is rejected changes nothing', async () => {
    const place = await makePlace(FILES);
    await using server = await scripted([EDIT]);
    const at = await editor(place, server.url, () => 'reject');
    await at.send(await at.begin(), 'Translate');
    await at.idle();
    expect(at.of('tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
    expect(at.states()).toEqual(['running', 'requires_action', 'running', 'end_turn']);
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
    await at.leave();
  });
});

it('cancels what runs and what waits, and takes what comes after', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([SLOW, say('Again.')]);
  const at = await editor(place, server.url, undefined, ['--allow', 'exec,write']);
  const sessionId = await at.begin();
  await at.send(sessionId, 'Run it');
  await vi.waitFor(() => expect(existsSync(join(place.folder, 'begun'))).toBe(true), SOON);
  const held = at.send(sessionId, 'And this');
  held.catch(() => undefined);
  // What can never begin does not wait.
  await expect(at.send(sessionId, ' ')).rejects.toMatchObject({ code: -32_602 });
  await at.agent.notify(methods.agent.session.cancel, { sessionId });
  const after = at.send(sessionId, 'Go on');
  await expect(held).rejects.toMatchObject({ code: -32_800 });
  await after;
  await at.idle(2);
  expect(at.states()).toEqual(['running', 'cancelled', 'running', 'end_turn']);
  expect(at.of('tool_call_update').at(-1)?.status).toBe('failed');
  expect(JSON.stringify(at.of('user_message'))).not.toContain('And this');
  await at.leave();
});

it('takes a second prompt when the first one has ended', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([say('One.'), say('Two.')]);
  const at = await editor(place, server.url);
  const sessionId = await at.begin();
  const [one, two] = await Promise.all([at.send(sessionId, 'First'), at.send(sessionId, 'Second')]);
  await at.idle(2);
  expect(at.of('user_message').map(({ messageId }) => messageId)).toEqual([one.messageId, two.messageId]);
  expect(one.messageId).not.toBe(two.messageId);
  expect(at.states()).toEqual(['running', 'end_turn', 'running', 'end_turn']);
  expect(server.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  await at.leave();
});

it('changes the mode as an option, from the next call on', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([EDIT]);
  const at = await editor(place, server.url);
  const sessionId = await at.begin();
  const set = (configId: string, value: string, id = sessionId) =>
    at.agent.request(methods.agent.session.setConfigOption, { sessionId: id, configId, type: 'id', value });
  await expect(set('mode', 'trusted')).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining('looser than ask') as string });
  await expect(set('mode', 'careless')).rejects.toMatchObject({ code: -32_602 });
  await expect(set('model', 'ask')).rejects.toMatchObject({ code: -32_602 });
  await expect(
    at.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'mode', type: 'boolean', value: true }),
  ).rejects.toMatchObject({ code: -32_602 });
  await expect(set('mode', 'ask', 's-00000000')).rejects.toMatchObject({ code: -32_002, data: { sessionId: 's-00000000' } });
  expect((await set('mode', 'read-only')).configOptions).toMatchObject([{ currentValue: 'read-only' }]);
  await at.send(sessionId, 'Translate');
  await at.idle();
  expect(at.questions).toEqual([]);
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
  await at.leave();
});

it('resumes a session after the agent was killed', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted((_, index) => [say('Two lines.'), SLOW, say('Again.')][index] ?? say('Done.'));
  const words = ['--allow', 'exec,write'];
  const first = await editor(place, server.url, undefined, words);
  const sessionId = await first.begin();
  const prompts = [(await first.send(sessionId, 'How long is a.txt?')).messageId];
  await first.idle();
  prompts.push((await first.send(sessionId, 'Run it')).messageId);
  await vi.waitFor(() => expect(existsSync(join(place.folder, 'begun'))).toBe(true), SOON);
  await first.kill();

  const second = await editor(place, server.url, undefined, words);
  const { sessions } = await second.agent.request(methods.agent.session.list, { cwd: place.folder });
  expect(sessions).toEqual([expect.objectContaining({ sessionId, cwd: place.folder, title: 'How long is a.txt?' })]);
  const resume = (more = {}) => second.agent.request(methods.agent.session.resume, { sessionId, cwd: place.folder, ...more });
  await expect(resume({ replayFrom: { type: '_message', messageId: 'x' } })).rejects.toMatchObject({ code: -32_602 });
  await expect(resume({ sessionId: 's-00000000' })).rejects.toMatchObject({ code: -32_002 });
  const resumed = await resume({ replayFrom: { type: 'start' } });
  expect(resumed.configOptions).toMatchObject([{ configId: 'mode' }]);
  await vi.waitFor(() => expect(second.updates).toHaveLength(5), SOON);
  expect(second.updates).toMatchObject([
    { sessionUpdate: 'user_message', messageId: prompts[0], content: [textBlock('How long is a.txt?')] },
    { sessionUpdate: 'agent_message', content: [textBlock('Two lines.')] },
    { sessionUpdate: 'user_message', messageId: prompts[1], content: [textBlock('Run it')] },
    { sessionUpdate: 'tool_call_update', status: 'failed', name: 'run_command' },
    { sessionUpdate: 'state_update', state: 'idle' },
  ]);
  second.updates.length = 0;
  await resume();
  await vi.waitFor(() => expect(second.updates).toEqual([{ sessionUpdate: 'state_update', state: 'idle' }]), SOON);
  await second.send(sessionId, 'Go on');
  await second.idle(2);
  expect(second.states()).toEqual(['idle', 'running', 'end_turn']);
  await second.leave();

  const third = rawAgent(place);
  third.write(INITIALIZE);
  await third.next();
  third.write(request(2, 'session/resume', { sessionId, cwd: place.folder, replayFrom: { type: 'start' } }));
  const before: unknown[] = [];
  for (;;) {
    const message = (await third.next()) as { id?: number; params?: { update: SessionUpdate } } | undefined;
    if (message === undefined) throw new Error('The agent did not answer.');
    if (message.id === 2) break;
    before.push(message.params?.update.sessionUpdate);
  }
  expect([before.slice(0, 2), before.at(-1)]).toEqual([['user_message', 'agent_message'], 'state_update']);
  third.end();
  await third.ended;
});

it('closes a session that works, and tells its end first', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([SLOW]);
  const at = await editor(place, server.url, undefined, ['--allow', 'exec,write']);
  const sessionId = await at.begin();
  await at.send(sessionId, 'Run it');
  await vi.waitFor(() => expect(existsSync(join(place.folder, 'begun'))).toBe(true), SOON);
  const held = at.send(sessionId, 'And this');
  held.catch(() => undefined);
  await at.agent.request(methods.agent.session.close, { sessionId });
  // The SDK's client gives answers to their requests at once, and updates to their handler a little later.
  await vi.waitFor(() => expect(at.states()).toEqual(['running', 'cancelled']), SOON);
  await expect(held).rejects.toMatchObject({ code: -32_800 });
  await expect(at.send(sessionId, 'Hello?')).rejects.toMatchObject({ code: -32_002, data: { sessionId } });
  await at.agent.request(methods.agent.session.close, { sessionId });
  await at.leave();
});

it('resumes a session that works: its work ends, and what waits is withdrawn', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([SLOW]);
  const at = await editor(place, server.url, undefined, ['--allow', 'exec,write']);
  const sessionId = await at.begin();
  await at.send(sessionId, 'Run it');
  await vi.waitFor(() => expect(existsSync(join(place.folder, 'begun'))).toBe(true), SOON);
  const held = at.send(sessionId, 'And this');
  held.catch(() => undefined);
  await at.agent.request(methods.agent.session.resume, { sessionId, cwd: place.folder });
  await expect(held).rejects.toMatchObject({ code: -32_800 });
  await vi.waitFor(() => expect(at.states()).toEqual(['running', 'cancelled', 'idle']), SOON);
  await at.leave();
});

it('tells a failure of the model as the end', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([{ kind: 'status', status: 401, message: 'Your key is wrong.' }, say('Hello.')]);
  const at = await editor(place, server.url);
  const sessionId = await at.begin();
  await at.send(sessionId, 'Hi');
  await at.idle();
  expect(at.of('state_update').at(-1)).toMatchObject({ stopReason: 'error', error: { code: -32_603, message: expect.any(String) as string } });
  await at.send(sessionId, 'Hi again');
  await at.idle(2);
  expect(at.states().at(-1)).toBe('end_turn');
  await at.leave();
});

it('uses MCP servers that the editor passes on, and refuses those that it does not offer', async () => {
  await using far = await startHttp([realServer('server-everything'), 'streamableHttp']);
  const place = await makePlace(FILES);
  const echo = (server: string): Scripted => calls(`mcp__${server}__echo`, { message: `over ${server}` });
  await using server = await scripted([echo('far'), echo('near')]);
  const at = await editor(place, server.url);
  const begin = (mcpServers: unknown[]) => at.agent.request(methods.agent.session.new, { cwd: place.folder, mcpServers: mcpServers as never[] });
  const http = { type: 'http', name: 'far', url: `${far.origin}/mcp`, headers: [{ name: 'x-editor', value: '${HOME}' }] };
  const stdio = { type: 'stdio', name: 'near', command: process.execPath, args: [realServer('server-everything'), 'stdio'] };
  await expect(begin([http, { ...stdio, name: 'far' }])).rejects.toMatchObject({ code: -32_602, data: { name: 'far' } });
  await expect(begin([{ type: 'sse', name: 'old', url: far.origin }])).rejects.toMatchObject({ code: -32_602, data: { type: 'sse' } });
  await expect(at.agent.request(methods.agent.session.new, { cwd: place.folder, additionalDirectories: ['/tmp'] })).rejects.toMatchObject({
    code: -32_602,
  });
  const { sessionId } = await begin([http, stdio]);
  await at.send(sessionId, 'Call them');
  await at.idle();
  for (const part of ['Echo: over far', 'Echo: over near']) expect(JSON.stringify(at.updates)).toContain(part);
  await at.leave();
});

it('runs protocols and its own commands by slash, with the steps as a plan', async () => {
  const place = await makePlace(FILES);
  await using server = await scripted([EDIT, say('Done.'), say('# Report')]);
  const at = await editor(place, server.url);
  const sessionId = await at.begin();
  const ids = [];
  for (const [index, words] of ['Translate', '/changes', '/undo', '/review-changes'].entries()) {
    ids.push((await at.send(sessionId, words)).messageId);
    await at.idle(index + 1);
  }
  expect(at.said().join('')).toContain('+zwei');
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
  expect(new Set(ids).size).toBe(4);
  expect(at.of('plan_update')[0]?.plan).toMatchObject({ type: 'items', planId: 'review-changes' });
  await at.leave();
});
