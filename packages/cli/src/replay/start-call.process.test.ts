import { createHands } from '@synapse/hands';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { callsSince } from './start-call.ts';

const DAY_MS = 86_400_000;

describe('callsSince', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  it.each([-1, 0, 1])('finds the first call of a session if the clock was set by %s days after it was made', async (days) => {
    const base = mkdtempSync(join(tmpdir(), 'synapse-start-call-'));
    const folder = join(base, 'workspace');
    mkdirSync(folder);
    vi.stubEnv('XDG_STATE_HOME', base);
    await using hands = await createHands({ workspace: folder, stateFolder: join(base, 'synapse'), allow: ['write'] });
    vi.useFakeTimers({ toFake: ['Date'] });
    const call = async (sessionId: string): Promise<string> =>
      (await hands.call('write_file', { path: 'a.txt', content: sessionId }, { sessionId })).meta.callId;
    await call('s-earlier');
    vi.setSystemTime(Date.now() + 10);
    const createdAt = Date.now();
    vi.setSystemTime(createdAt + days * DAY_MS);
    const [first, second] = [await call('s-own'), await call('s-own')];
    const other = await call('s-later');
    const session = { id: 's-own', workspace: folder, model: 'm', task: 't', status: 'done', createdAt, updatedAt: createdAt, calls: 2 } as const;
    const found = callsSince(session);
    expect([found.first, found.calls.map((one) => one.call)]).toEqual([first, [other, second, first]]);
  });
});
