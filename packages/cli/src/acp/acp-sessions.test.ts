import { SessionStore } from '@synapse/brain';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { AcpPlace } from './acp-place.ts';
import { AcpSessions } from './acp-sessions.ts';
import type { Face } from './face.ts';

let folder: string;
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-acp-sessions-')))));

const face: Face = { show: () => Promise.resolve(), ask: () => Promise.resolve(undefined), buffers: () => undefined };

/** The sessions of an editor, whose places open when the test says so. */
function place() {
  const opening: Array<PromiseWithResolvers<void>> = [];
  const open = new Set<object>();
  let most = 0;
  const openPlace = async (): Promise<AcpPlace> => {
    const gate = Promise.withResolvers<void>();
    opening.push(gate);
    await gate.promise;
    const made = {
      hands: { policy: () => ({ mode: 'ask' }) },
      [Symbol.asyncDispose]: () => {
        open.delete(made);
        return Promise.resolve();
      },
    };
    open.add(made);
    most = Math.max(most, open.size);
    return made as unknown as AcpPlace;
  };
  const err = { isTerminal: false, columns: 80, write: () => undefined, show: () => undefined };
  const sessions = new AcpSessions({}, err, join(folder, 'state'), openPlace);
  const saved = (): string => {
    const store = SessionStore.open(join(folder, 'state'));
    try {
      const id = SessionStore.newId();
      store.create({ workspace: folder, model: '', task: 'A task' }, id);
      return id;
    } finally {
      store[Symbol.dispose]();
    }
  };
  return {
    sessions,
    saved,
    opening,
    /** Number of places that are open now, and that were at most. */
    count: () => [open.size, most],
    /** Lets what opens open, until nothing is left to do. */
    go: async (work: Promise<unknown>): Promise<void> => {
      const state = { isOver: false };
      const over = Promise.allSettled([work]).then(() => (state.isOver = true));
      while (!state.isOver) {
        for (const { resolve } of opening.splice(0)) resolve();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await over;
    },
  };
}

const opened = { servers: [] };

it('one of two requests to resume a session waits for the other, and nothing stays open', async () => {
  const { sessions, saved, count, go } = place();
  const id = saved();
  const both = Promise.all([sessions.reopen(id, { cwd: folder, ...opened }, face), sessions.reopen(id, { cwd: folder, ...opened }, face)]);
  await go(both);
  const [, second] = await both;
  expect(sessions.find(id)).toBe(second);
  expect(count()).toEqual([1, 1]);
  await sessions[Symbol.asyncDispose]();
  expect(count()).toEqual([0, 1]);
});

it('a session that opens counts as open', async () => {
  const { sessions, saved, count, go } = place();
  const id = saved();
  const many = Promise.allSettled([
    sessions.reopen(id, { cwd: folder, ...opened }, face),
    ...Array.from({ length: 79 }, () => sessions.create({ cwd: folder, ...opened }, face)),
  ]);
  await go(many);
  const failed = (await many).filter((result) => result.status === 'rejected');
  expect([count(), failed.length]).toEqual([[64, 64], 16]);
  expect(failed[0]?.reason).toMatchObject({ code: 'busy' });
  // One that is open opens again in its own place.
  const again = sessions.reopen(id, { cwd: folder, ...opened }, face);
  await go(again);
  await again;
  await sessions.close(id);
  const another = sessions.create({ cwd: folder, ...opened }, face);
  await go(another);
  await another;
  expect(count()).toEqual([64, 64]);
  await sessions[Symbol.asyncDispose]();
  expect(count()).toEqual([0, 64]);
});

it('a place that cannot be opened is free again', async () => {
  const { sessions, opening, count, go } = place();
  const failing = Promise.allSettled(Array.from({ length: 64 }, () => sessions.create({ cwd: folder, ...opened }, face)));
  await expect.poll(() => opening.length).toBe(64);
  for (const { reject } of opening.splice(0)) reject(new Error('No model.'));
  await go(failing);
  const next = sessions.create({ cwd: folder, ...opened }, face);
  await go(next);
  await next;
  expect(count()).toEqual([1, 1]);
  await sessions[Symbol.asyncDispose]();
});

it.each([
  ['closes', (sessions: AcpSessions, id: string): Promise<unknown> => sessions.close(id)],
  ['disconnects', (sessions: AcpSessions): Promise<unknown> => sessions[Symbol.asyncDispose]()],
])('an editor that %s while a session opens leaves none open', async (_, end) => {
  const { sessions, saved, count, go } = place();
  const id = saved();
  const opens = Promise.allSettled([sessions.reopen(id, { cwd: folder, ...opened }, face), sessions.reopen(id, { cwd: folder, ...opened }, face)]);
  const ended = end(sessions, id);
  await go(Promise.all([opens, ended]));
  await ended;
  expect(count()[0]).toBe(0);
  expect(() => sessions.find(id)).toThrow('Resource not found');
});

it('an editor that disconnected opens nothing more', async () => {
  const { sessions, opening } = place();
  await sessions[Symbol.asyncDispose]();
  await expect(sessions.create({ cwd: folder, ...opened }, face)).rejects.toMatchObject({ code: 'cancelled' });
  expect(opening).toEqual([]);
});
