import { expect, it } from 'vitest';
import { remoteBench } from '../fixtures/bench.ts';
import { serveRelay } from '../relay/serve-relay.ts';
import { sessionUrl } from '../session-url.ts';
import { ConnectedHands } from './connected-hands.ts';
import { listSessions, shownUrl } from './session-records.ts';

it('tells which sessions are served, and how the line of each is', async () => {
  await using bench = await remoteBench();
  expect(listSessions(bench.state)).toEqual([]);
  await using relay = await serveRelay({ port: 0 });
  const url = `${sessionUrl(relay.url, 'desk')}?token=secret`;
  {
    const { promise: online, resolve } = Promise.withResolvers<void>();
    await using _hands = new ConnectedHands(bench.hands, { url, name: 'desk', stateFolder: bench.state, onStatus: () => resolve() });
    expect(listSessions(bench.state)).toMatchObject([{ running: true, status: 'connecting' }]);
    await online;
    const [session] = listSessions(bench.state);
    expect(session).toMatchObject({ running: true, name: 'desk', workspace: bench.hands.workspace, pid: process.pid });
    expect(JSON.stringify(session)).not.toContain('secret');
  }
  expect(listSessions(bench.state)).toMatchObject([{ running: false, status: 'ended', open: 0 }]);
});

it('shows no part of a URL that may be secret', () => {
  expect(shownUrl('wss://user:pass@brain.example:8443/room?token=x#y')).toBe('wss://brain.example:8443/room');
});
