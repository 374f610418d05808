import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { startChatServer, type Scripted } from '../agent/scripted-chat.ts';
import { rawAgent, request } from './acp-agent.ts';
import { makePlace, type Place } from './run-cli.ts';

// Version 2 of ACP as lines: what the SDK's client does not send, and the order of messages, which it does not keep.

const FILES = { 'a.txt': 'one\ntwo\n' };
const EDIT: Scripted = {
  kind: 'calls',
  calls: [{ id: '1', name: 'edit_file', input: JSON.stringify({ path: 'a.txt', edits: [{ old_text: 'two', new_text: 'zwei' }] }) }],
};
const INITIALIZE = request(1, 'initialize', { protocolVersion: 2, info: { name: 'raw', version: '1' } });
const textBlock = (value: string) => ({ type: 'text' as const, text: value });

it('answers what is malformed with an error, and goes on', async () => {
  const place = await makePlace(FILES);
  const at = rawAgent(place);
  at.write(request(9, 'session/new', { cwd: place.folder }));
  expect(await at.next()).toMatchObject({ id: 9, error: { code: -32_600 } });
  at.write(request(8, 'initialize', { protocolVersion: 2 }));
  expect(await at.next()).toMatchObject({ id: 8, error: { code: -32_602 } });
  at.write(INITIALIZE);
  expect(await at.next()).toMatchObject({ id: 1, result: { protocolVersion: 2 } });
  at.write('{"jsonrpc":"2.0","id":7,\n');
  expect(await at.next()).toMatchObject({ id: null, error: { code: -32_700 } });
  at.write('[1]\n');
  expect(await at.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  const rows: Array<[string, unknown, number]> = [
    ['session/fly', {}, -32_601],
    ['session/load', { sessionId: 's', cwd: place.folder, mcpServers: [] }, -32_601],
    ['session/new', { cwd: 7 }, -32_602],
    ['session/new', { cwd: 'a/b' }, -32_602],
    ['session/new', { cwd: '/nowhere' }, -32_602],
    ['session/resume', { sessionId: 's', cwd: place.folder, replayFrom: { type: 'start' } }, -32_002],
    ['session/resume', { sessionId: 's', cwd: place.folder, mcpServers: 'x' }, -32_602],
    ['session/resume', { sessionId: 's', cwd: place.folder, replayFrom: 'start' }, -32_602],
    ['session/list', { cursor: 'x' }, -32_602],
    ['session/prompt', { sessionId: 's', prompt: [textBlock('Hi')] }, -32_002],
    ['session/prompt', { sessionId: 's' }, -32_602],
    ['session/set_config_option', { sessionId: 's', configId: 'mode' }, -32_602],
    ['tool_call/cancel', { sessionId: 's', toolCallId: 'x' }, -32_602],
  ];
  for (const [index, [method, params, code]] of rows.entries()) {
    at.write(request(index + 20, method, params));
    expect([method, await at.next()]).toMatchObject([method, { id: index + 20, error: { code } }]);
  }
  at.write(request(50, 'session/new', { cwd: place.folder }));
  const made = (await at.next()) as { result: { sessionId: string } };
  for (const [index, prompt] of [[], [textBlock(' ')], [{ type: 'audio', data: 'AA==', mimeType: 'audio/wav' }], [{ type: 'hologram' }]].entries()) {
    at.write(request(index + 60, 'session/prompt', { sessionId: made.result.sessionId, prompt }));
    expect(await at.next()).toMatchObject({ id: index + 60, error: { code: -32_602 } });
  }
  at.end();
  expect((await at.ended)[0]).toBe(0);
});

it('ends at a line that is too long', async () => {
  const at = rawAgent(await makePlace(FILES));
  at.write(INITIALIZE);
  expect(await at.next()).toMatchObject({ id: 1 });
  const told = at.child.stderr === null ? Promise.resolve('') : text(at.child.stderr);
  for (let megabytes = 0; megabytes < 34; megabytes += 1) at.write('x'.repeat(1024 * 1024));
  expect((await at.ended)[0]).toBe(1);
  expect(await told).toContain('The editor sent a message of more than 33554432 bytes');
});

/** Sends a prompt as lines, and reads until the agent asks. Returns what it sent before. */
async function asked(place: Place, url: string) {
  const at = rawAgent(place, ['--base-url', url]);
  at.write(INITIALIZE);
  await at.next();
  at.write(request(2, 'session/new', { cwd: place.folder }));
  const { result } = (await at.next()) as { result: { sessionId: string } };
  at.write(request(3, 'session/prompt', { sessionId: result.sessionId, prompt: [textBlock('Translate')] }));
  const states: unknown[] = [];
  for (;;) {
    const message = (await at.next()) as { method?: string; params?: { update?: { state?: string } } } | undefined;
    if (message === undefined) throw new Error('The agent did not ask.');
    if (message.method === 'session/request_permission')
      return { at, sessionId: result.sessionId, states: states.filter((state) => state !== undefined) };
    states.push(message.params?.update?.state);
  }
}

it('withdraws a question and tells the end before it answers that the session is closed', async () => {
  const place = await makePlace(FILES);
  await using server = await startChatServer((_, index) => (index === 0 ? EDIT : { kind: 'text', text: 'Done.' }));
  const { at, sessionId } = await asked(place, server.url);
  at.write(request(4, 'session/close', { sessionId }));
  const sent: unknown[] = [];
  for (;;) {
    const message = (await at.next()) as { id?: number; method?: string; params?: { update?: { stopReason?: string } } } | undefined;
    if (message === undefined) throw new Error('The agent did not answer.');
    if (message.id === 4 && message.method === undefined) break;
    sent.push(message.params?.update?.stopReason ?? message.method);
  }
  expect([sent[0], sent.at(-1)]).toEqual(['$/cancel_request', 'cancelled']);
  at.end();
  expect((await at.ended)[0]).toBe(0);
});

it('takes the death of an editor during a question as a denial', async () => {
  const place = await makePlace(FILES);
  await using server = await startChatServer((_, index) => (index === 0 ? EDIT : { kind: 'text', text: 'Done.' }));
  const { at, states } = await asked(place, server.url);
  expect(states).toEqual(['running', 'requires_action']);
  at.child.stdout?.destroy();
  at.end();
  await at.ended;
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
});
