import { methods, type SessionUpdate } from '@agentclientprotocol/sdk';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AcpOptions } from '../../packages/cli/src/acp/acp-place.ts';
import { acpFolder, openEditor, type Answering } from './acp-editor.ts';
import { startChatServer, type ChatBody, type ChatServer, type Scripted } from './scripted-chat.ts';

const call = (name: string, input: unknown, id = '1'): Scripted => ({ kind: 'calls', calls: [{ id, name, input: JSON.stringify(input) }] });
const say = (text: string): Scripted => ({ kind: 'text', text });
const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'src.ts': 'export {};\n' };
const EDIT = call('edit_file', { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'zwei' }] });

/** An editor, and a model that answers from a script. */
async function opened(
  script: readonly Scripted[] | ((body: ChatBody, index: number) => Scripted | Promise<Scripted>),
  answer?: Answering,
  options: AcpOptions = {},
) {
  const server: ChatServer = await startChatServer(typeof script === 'function' ? script : (_, index) => script[index] ?? say('Done.'));
  const place = await acpFolder(FILES);
  const editor = await openEditor(place, { model: 'scripted', baseUrl: server.url, ...options }, answer);
  return {
    ...place,
    editor,
    server,
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const of = <Kind extends SessionUpdate['sessionUpdate']>(updates: readonly SessionUpdate[], kind: Kind) =>
  updates.filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind);
const content = (path: string): Promise<string> => readFile(path, 'utf8');

it('streams text, and tells its modes and commands', async () => {
  await using at = await opened([say('It is a small project of two files.')]);
  const { sessionId, modes } = await at.editor.agent.request(methods.agent.session.new, { cwd: at.folder, mcpServers: [] });
  expect(modes).toMatchObject({ currentModeId: 'ask', availableModes: [{ id: 'read-only' }, { id: 'ask' }] });
  expect(await at.editor.say(sessionId, 'What is it?')).toBe('end_turn');
  expect(at.editor.text()).toBe('It is a small project of two files.');
  const [commands] = of(at.editor.updates, 'available_commands_update');
  const names = commands?.availableCommands.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['undo', 'changes', 'review-changes']));
  expect(at.server.requests[0]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'What is it?' });
});

describe('a call', () => {
  it('is shown with its file, its diff and its output', async () => {
    await using at = await opened([EDIT, say('Done.')], () => 'once');
    const session = await at.editor.begin();
    expect(await at.editor.say(session, 'Translate')).toBe('end_turn');
    const path = join(at.folder, 'a.txt');
    const [start] = of(at.editor.updates, 'tool_call');
    expect(start).toMatchObject({ kind: 'edit', status: 'in_progress', title: expect.stringContaining('a.txt') as string, locations: [{ path }] });
    const end = of(at.editor.updates, 'tool_call_update').at(-1);
    expect(end).toMatchObject({ toolCallId: start?.toolCallId, status: 'completed', locations: [{ path, line: 2 }] });
    expect(end?.content?.[0]).toEqual({ type: 'diff', path, oldText: 'one\ntwo\nthree\n', newText: 'one\nzwei\nthree\n' });
    expect(await content(path)).toBe('one\nzwei\nthree\n');
  });

  it('is asked about with all that it does, and only what was shown happens', async () => {
    await using at = await opened([EDIT, say('Done.')], () => 'once');
    await at.editor.say(await at.editor.begin(), 'Translate');
    const [question] = at.editor.questions;
    expect(question?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ['once', 'allow_once'],
      ['session-0', 'allow_always'],
      ['project-0', 'allow_always'],
      ['reject', 'reject_once'],
    ]);
    expect(question?.options[1]?.name).toContain('write(/a.txt)');
    const shown = JSON.stringify(question?.toolCall);
    for (const part of ['two', 'zwei', 'a.txt', 'write(/a.txt)']) expect(shown).toContain(part);
  });

  it.each<[string, Answering]>([
    ['rejects', () => 'reject'],
    ['cancels', () => undefined],
    ['chooses what was not offered', () => 'always-everything'],
    [
      'fails',
      () => {
        throw new Error('broken');
      },
    ],
  ])('of an editor that %s changes nothing', async (_, answer) => {
    await using at = await opened([EDIT, say('Done.')], answer);
    expect(await at.editor.say(await at.editor.begin(), 'Translate')).toBe('end_turn');
    expect(await content(join(at.folder, 'a.txt'))).toBe(FILES['a.txt']);
    expect(of(at.editor.updates, 'tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
  });

  it("under a dialect's name is shown and asked about in the same way", async () => {
    await using at = await opened(
      (_, index) =>
        [
          call('Read', { file_path: join(at.folder, 'a.txt') }),
          call('Edit', { file_path: join(at.folder, 'a.txt'), old_string: 'two', new_string: 'zwei' }, '2'),
        ][index] ?? say('Done.'),
      () => 'once',
      { dialect: 'claude-code' },
    );
    await at.editor.say(await at.editor.begin(), 'Translate');
    expect(of(at.editor.updates, 'tool_call').map(({ kind }) => kind)).toEqual(['read', 'edit']);
    expect(of(at.editor.updates, 'tool_call_update').at(-1)?.content?.[0]).toMatchObject({ type: 'diff', newText: 'one\nzwei\nthree\n' });
    expect(at.editor.questions).toHaveLength(1);
  });

  it('is asked about once where a rule is kept for the session', async () => {
    const again = call('edit_file', { path: 'a.txt', edits: [{ old_text: 'three', new_text: 'drei' }] }, '2');
    await using at = await opened([EDIT, again, say('Done.')], () => 'session-0');
    await at.editor.say(await at.editor.begin(), 'Translate');
    expect(at.editor.questions).toHaveLength(1);
    expect(await content(join(at.folder, 'a.txt'))).toBe('one\nzwei\ndrei\n');
  });

  it('of an editor that disappears during the question changes nothing', async () => {
    const asked = Promise.withResolvers<void>();
    await using at = await opened([EDIT, say('Done.')], async () => {
      asked.resolve();
      return await new Promise<never>(() => {});
    });
    const prompt = at.editor.say(await at.editor.begin(), 'Translate').catch((error: unknown) => error);
    await asked.promise;
    await at.editor.leave();
    expect(await prompt).toBeInstanceOf(Error);
    expect(await content(join(at.folder, 'a.txt'))).toBe(FILES['a.txt']);
  });
});

describe('modes', () => {
  it('become stricter at once, and never looser than configured', async () => {
    await using at = await opened([EDIT, say('Done.')], () => 'once');
    const sessionId = await at.editor.begin();
    const set = (modeId: string) => at.editor.agent.request(methods.agent.session.setMode, { sessionId, modeId });
    await expect(set('trusted')).rejects.toThrow('The mode trusted is looser than ask');
    await expect(set('careless')).rejects.toThrow('Mode not found');
    await set('read-only');
    await at.editor.say(sessionId, 'Translate');
    expect(at.editor.questions).toEqual([]);
    expect(await content(join(at.folder, 'a.txt'))).toBe(FILES['a.txt']);
  });

  it('of the command line run edits without a question', async () => {
    await using at = await opened([EDIT, say('Done.')], () => 'reject', { mode: 'auto-edit' });
    await at.editor.say(await at.editor.begin(), 'Translate');
    expect(at.editor.questions).toEqual([]);
    expect(await content(join(at.folder, 'a.txt'))).toContain('zwei');
  });
});

it('cancels the model and the commands that run', async () => {
  const marker = `sleep 5${process.pid}`;
  await using at = await opened([call('run_command', { command: `touch started; echo begun; ${marker}` })], () => 'once', { mode: 'trusted' });
  const session = await at.editor.begin();
  const prompt = at.editor.say(session, 'Wait');
  await expect.poll(() => JSON.stringify(of(at.editor.updates, 'tool_call_update'))).toContain('begun');
  const running = (): boolean => spawnSync('pgrep', ['-x', '-f', marker]).status === 0;
  expect(running()).toBe(true);
  const second = at.editor.say(session, 'Also');
  await expect(second).rejects.toThrow('a prompt of this session is running');
  await at.editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
  expect(await prompt).toBe('cancelled');
  expect(running()).toBe(false);
  expect(existsSync(join(at.folder, 'started'))).toBe(false);
});

it('cancels a question', async () => {
  const asked = Promise.withResolvers<void>();
  await using at = await opened([EDIT], async (_, signal) => {
    asked.resolve();
    return await new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  });
  const sessionId = await at.editor.begin();
  const prompt = at.editor.say(sessionId, 'Translate');
  await asked.promise;
  await at.editor.agent.notify(methods.agent.session.cancel, { sessionId });
  expect(await prompt).toBe('cancelled');
  expect(await content(join(at.folder, 'a.txt'))).toBe(FILES['a.txt']);
});

describe('sessions', () => {
  it('are listed, loaded with their history, and go on', async () => {
    await using at = await opened([call('read_file', { path: 'a.txt' }), say('Three lines.'), say('As I said, three.')]);
    const sessionId = await at.editor.begin();
    await at.editor.say(sessionId, 'How long is a.txt?');
    const { sessions } = await at.editor.agent.request(methods.agent.session.list, { cwd: at.folder });
    expect(sessions).toEqual([expect.objectContaining({ sessionId, title: 'How long is a.txt?', cwd: at.folder })]);
    await at.editor.agent.request(methods.agent.session.close, { sessionId });
    await expect(at.editor.say(sessionId, 'Hello?')).rejects.toThrow('Resource not found');
    const before = at.editor.updates.length;
    await at.editor.agent.request(methods.agent.session.load, { sessionId, cwd: at.folder, mcpServers: [] });
    const replayed = at.editor.updates.slice(before).filter(({ sessionUpdate }) => sessionUpdate !== 'available_commands_update');
    expect(replayed).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { text: 'How long is a.txt?' } },
      { sessionUpdate: 'tool_call', status: 'completed', kind: 'read', locations: [{ path: join(at.folder, 'a.txt') }] },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'Three lines.' } },
    ]);
    expect(await at.editor.say(sessionId, 'Sure?')).toBe('end_turn');
    expect(at.server.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('resume without their history', async () => {
    await using at = await opened([say('Hello.'), say('Again.')]);
    const sessionId = await at.editor.begin();
    await at.editor.say(sessionId, 'Hi');
    await at.editor.agent.request(methods.agent.session.close, { sessionId });
    await at.editor.agent.request(methods.agent.session.resume, { sessionId, cwd: at.folder });
    expect(of(at.editor.updates, 'user_message_chunk')).toEqual([]);
    expect(await at.editor.say(sessionId, 'Go on')).toBe('end_turn');
  });

  it('of another folder, or unknown ones, are refused', async () => {
    await using at = await opened([say('Hello.')]);
    const sessionId = await at.editor.begin();
    await at.editor.say(sessionId, 'Hi');
    const load = (id: string, cwd: string) => at.editor.agent.request(methods.agent.session.load, { sessionId: id, cwd, mcpServers: [] });
    await expect(load(sessionId, tmpdir())).rejects.toThrow('This session belongs to another folder.');
    await expect(load('s-00000000', at.folder)).rejects.toThrow('Resource not found');
  });

  it('need a tracked folder: the answer names the command', async () => {
    await using at = await opened([]);
    const cwd = await mkdtemp(join(tmpdir(), 'synapse-untracked-'));
    await expect(at.editor.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).rejects.toThrow(`synapse projects add ${cwd}`);
  });
});

it('sends images, attached files and links to the model', async () => {
  await using at = await opened([say('A picture.')]);
  const sessionId = await at.editor.begin();
  const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await at.editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: 'text', text: 'Look:' },
      { type: 'image', mimeType: 'image/png', data: image },
      { type: 'resource', resource: { uri: `file://${at.folder}/a.txt`, text: 'unsaved ``` text' } },
      { type: 'resource_link', name: 'src.ts', uri: `file://${at.folder}/src.ts` },
    ],
  });
  const sent = JSON.stringify(at.server.requests[0]?.messages.at(-1));
  for (const part of [image, 'attached a.txt', 'unsaved ``` text', '````', 'refers to: src.ts']) expect(sent).toContain(part);
});

it('runs protocols and its own commands by slash, with the steps as a plan', async () => {
  await using at = await opened([EDIT, say('Done.'), say('# Report')], () => 'once');
  const session = await at.editor.begin();
  await at.editor.say(session, 'Translate');
  await at.editor.say(session, '/changes');
  expect(at.editor.text()).toContain('+zwei');
  await at.editor.say(session, '/undo');
  expect(await content(join(at.folder, 'a.txt'))).toBe(FILES['a.txt']);
  expect(await at.editor.say(session, '/review-changes')).toBe('end_turn');
  const plans = of(at.editor.updates, 'plan');
  expect(plans[0]?.entries.every(({ status }) => status === 'pending')).toBe(true);
  expect(plans.at(-1)?.entries.every(({ status }) => status === 'completed')).toBe(true);
});

it('uses the MCP servers of the editor under the same policy, and keeps their values as they are', async () => {
  const server = join(import.meta.dirname, '..', '..', 'packages', 'hands', 'src', 'mcp-client', 'fixtures', 'raw-server.ts');
  const notes = await mkdtemp(join(tmpdir(), 'synapse-raw-'));
  const named = (body: ChatBody): string => /"name":"(?<name>mcp[^"]*environment)"/u.exec(JSON.stringify(body.tools))?.groups?.['name'] ?? 'none';
  await using at = await opened(
    (body, index) => (index === 0 ? call(named(body), {}) : say('Done.')),
    () => 'once',
  );
  const { sessionId } = await at.editor.agent.request(methods.agent.session.new, {
    cwd: at.folder,
    mcpServers: [{ name: 'raw', command: process.execPath, args: [server, notes], env: [{ name: 'GREETING', value: '${HOME} $x' }] }],
  });
  await at.editor.say(sessionId, 'Look');
  expect(at.editor.told()).toBe('');
  expect(at.editor.questions).toHaveLength(1);
  const end = of(at.editor.updates, 'tool_call_update').at(-1);
  expect(end).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(end)).toContain('${HOME} $x');
});

it('fails a prompt with the reason if the model cannot be used', async () => {
  await using at = await opened([{ kind: 'status', status: 401, message: 'Invalid key' }]);
  await expect(at.editor.say(await at.editor.begin(), 'Hi')).rejects.toThrow(/key/iu);
});
