import { once } from 'node:events';
import { SecretStore } from '@synapse/hands/internal';
import type { ConsoleServerFrame } from '@synapse/protocol/console';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { consolePlace } from '../fixtures/console-place.ts';
import { OpenProjects } from '../project/open-projects.ts';
import { Connection } from './connection.ts';

// Nothing but the store tells that this is one.
const VALUE = 'correct-horse-battery';
const MASK = '*'.repeat(VALUE.length);

it('sends a page no secret: no state, no event, no answer, and no error', async () => {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await consolePlace({ 'a.txt': `key: ${VALUE}\n` }));
  {
    // Before it was a secret: the records have it.
    await using hands = await place.hands();
    await hands.call('edit_file', { path: 'a.txt', edits: [{ old_text: `key: ${VALUE}`, new_text: `other: ${VALUE}` }] });
    await hands.call('read_file', { path: `${VALUE}.txt` });
  }
  const secret = { name: 'TOKEN', also: [], texts: {}, added: '2026-01-01' };
  const at = { scheme: 'https', host: 'api.example', port: 443, as: { kind: 'bearer' } } as const;
  await new SecretStore(place.stateFolder).add({ ...secret, places: [at], value: VALUE });
  const projects = stack.use(
    new OpenProjects({ stateFolder: place.stateFolder, project: place.project, version: '', openHands: () => place.hands() }),
  );
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  stack.defer(() => server.close());
  server.on('connection', (socket) => new Connection(socket, { projects, holds: () => true, createUrl: () => '' }));
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  const page = new WebSocket(`ws://127.0.0.1:${address.port}`);
  stack.defer(() => page.terminate());
  const frames: ConsoleServerFrame[] = [];
  page.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as ConsoleServerFrame));
  await once(page, 'open');
  const heard = async (is: (frame: ConsoleServerFrame) => boolean): Promise<void> => await expect.poll(() => frames.some(is)).toBe(true);
  page.send(JSON.stringify({ type: 'hello', key: 'k' }));
  await heard(({ type }) => type === 'history');
  page.send(JSON.stringify({ type: 'request', id: 1, method: 'changes.list', params: {} }));
  page.send(JSON.stringify({ type: 'request', id: 2, method: 'past.lines', params: { path: 'a.txt' } }));
  page.send(JSON.stringify({ type: 'request', id: 3, method: 'branches.show', params: { name: VALUE } }));
  for (const id of [1, 2, 3]) await heard((frame) => frame.type === 'response' && frame.id === id);
  const project = await projects.open();
  await project.hands.call('read_file', { path: `${VALUE}.md` });
  project.emit({ type: 'progress', call: 'c', output: `one ${VALUE}` });
  await heard((frame) => frame.type === 'events' && JSON.stringify(frame).includes('progress'));
  const text = JSON.stringify(frames);
  expect(text).not.toContain(VALUE);
  expect(text).toContain(`other: ${MASK}`);
  expect(text).toContain(`one ${MASK}`);
  // They run beside each other, and are answered in any order.
  const answers = new Map(frames.flatMap((frame) => (frame.type === 'response' ? [[frame.id, frame.ok] as const] : [])));
  expect([1, 2, 3].map((id) => answers.get(id))).toEqual([true, true, false]);
});
