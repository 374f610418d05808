import { SynapseError, type FilledForm, type PersonForm } from '@synapse/protocol';
import { chmod, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ApprovalRequest, Trial } from '../approver.ts';
import { openWindow, type ForeignForm, type ForeignQuestion, type WindowAnswers } from './open-window.ts';
import { windowApprover } from './window-approver.ts';

const PROPOSAL = { kind: 'exact', rules: ['exec(npm test)'], covers: ['npm test'], doesNotCover: ['npm run x'] } as const;
const TRIAL: Trial = {
  fingerprint: 'e',
  effect: { changes: [{ kind: 'created', path: 'é\n.txt', diff: '+ü' }], more: 0, omitted: [], cautions: [] },
  output: 'done',
  completion: 'ok',
};
const REQUEST: ApprovalRequest = {
  callId: '1',
  sessionId: undefined,
  tool: 'run_command',
  title: 'Run a command',
  arguments: { command: 'npm test', deep: { list: [1, 'é'] } },
  fingerprint: 'f',
  reason: 'mode "ask" asks before commands',
  effects: ['runs npm test'],
  changed: { ...TRIAL, headline: 'changed 1 file' },
  proposals: [PROPOSAL],
};

async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-'));
  return folder;
}

async function window(
  state: string,
  answer: WindowAnswers['answer'] = async () => ({ verdict: 'later' }),
  fillForm: WindowAnswers['fillForm'] = async () => undefined,
): Promise<void> {
  const opened = await openWindow(state, { answer, fillForm });
  if (opened === undefined) throw new Error('There is no window.');
  onTestFinished(() => opened[Symbol.asyncDispose]());
}

const FORM: PersonForm = { server: 'shop', tool: 'mcp:shop:buy', message: 'Which?', schema: { type: 'object', properties: {} } };
const asker = (state: string) => windowApprover({ stateFolder: state, root: () => '/project', from: 'synapse mcp' });
const LONG = new AbortController().signal;

it('goes on as without an approver where no window is open', async () => {
  expect(await asker(await stateFolder()).ask(REQUEST, LONG)).toEqual({ verdict: 'later' });
});

it('shows the question whole, and brings the answer back', async () => {
  const state = await stateFolder();
  const seen: ForeignQuestion[] = [];
  await window(state, async (question) => {
    seen.push(question);
    return { verdict: 'allow', scope: 'session', proposal: PROPOSAL, effect: 'e' };
  });
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'allow', scope: 'session', proposal: PROPOSAL, effect: 'e' });
  expect(seen).toEqual([{ root: '/project', from: 'synapse mcp', request: REQUEST }]);
});

it('brings a no back with its reason', async () => {
  const state = await stateFolder();
  await window(state, async () => ({ verdict: 'deny', reason: 'use npm' }));
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'deny', reason: 'use npm' });
});

it.each<FilledForm>([{ action: 'accept', content: { color: 'é', count: 2, gift: true, days: ['mo'] } }, { action: 'decline' }, { action: 'cancel' }])(
  'shows a form, and brings %j back',
  async (filled) => {
    const state = await stateFolder();
    const seen: ForeignForm[] = [];
    await window(state, undefined, async (form) => {
      seen.push(form);
      return filled;
    });
    // One that no person sees does not answer for the one that is seen.
    await window(state);
    const form = { ...FORM, url: 'https://example.com/' };
    expect(await asker(state).fill?.(form, LONG)).toEqual(filled);
    expect(seen).toEqual([{ root: '/project', from: 'synapse mcp', form }]);
  },
);

it('cancels a form that no window shows, and withdraws one whose call is cancelled', async () => {
  const state = await stateFolder();
  expect(await asker(state).fill?.(FORM, LONG)).toEqual({ action: 'cancel' });
  const controller = new AbortController();
  const { promise: withdrawn, resolve: withdraw } = Promise.withResolvers<void>();
  await window(state, undefined, async (_, signal) => {
    controller.abort();
    if (!signal.aborted) await once(signal, 'abort');
    withdraw();
    return { action: 'accept', content: {} };
  });
  expect(await asker(state).fill?.(FORM, controller.signal)).toEqual({ action: 'cancel' });
  await withdrawn;
});

it('tries a command in the process that asks, and says why it could not', async () => {
  const state = await stateFolder();
  const trials: unknown[] = [];
  await window(state, async ({ request }, signal) => {
    trials.push(await request.tryOut?.(signal));
    trials.push(await request.tryOut?.(signal).catch((error: unknown) => error));
    return { verdict: 'deny' };
  });
  let times = 0;
  const tryOut = async (): Promise<Trial> => {
    if (times++ === 0) return TRIAL;
    throw new SynapseError('unavailable', 'No sandbox.');
  };
  expect(await asker(state).ask({ ...REQUEST, tryOut }, LONG)).toEqual({ verdict: 'deny' });
  expect(trials).toEqual([TRIAL, expect.objectContaining({ message: 'No sandbox.' })]);
});

it('takes the first answer of several windows, and withdraws the question from the others', async () => {
  const state = await stateFolder();
  const { promise: shown, resolve: show } = Promise.withResolvers<void>();
  const { promise: withdrawn, resolve: withdraw } = Promise.withResolvers<void>();
  await window(state, async (_, signal) => {
    show();
    await once(signal, 'abort');
    withdraw();
    return { verdict: 'allow', scope: 'once' };
  });
  await window(state, async () => {
    await shown;
    return { verdict: 'deny' };
  });
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'deny' });
  await withdrawn;
});

it('withdraws the question when the call is cancelled', async () => {
  const state = await stateFolder();
  const controller = new AbortController();
  const { promise: withdrawn, resolve: withdraw } = Promise.withResolvers<void>();
  await window(state, async (_, signal) => {
    controller.abort();
    if (!signal.aborted) await once(signal, 'abort');
    withdraw();
    return { verdict: 'allow', scope: 'once' };
  });
  expect(await asker(state).ask(REQUEST, controller.signal)).toEqual({ verdict: 'later' });
  await withdrawn;
});

it('takes nothing but a clear answer for a yes', async () => {
  const state = await stateFolder();
  await mkdir(join(state, 'windows'), { mode: 0o700 });
  for (const words of [
    '{"type":"allow"}\n',
    '{"type":"filled","filled":{"action":"accept","content":{}}}\n',
    'yes\n',
    '{"type":"allow","scope":"all"}\n',
    '',
    '{"type":"allow","scope":"once"',
  ]) {
    const path = join(state, 'windows', '00000000.sock');
    const server = createServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end(words),
    );
    server.listen(path);
    await once(server, 'listening');
    expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'later' });
    if (!words.includes('filled')) expect(await asker(state).fill?.(FORM, LONG)).toEqual({ action: 'cancel' });
    server.close();
    await once(server, 'close');
  }
});

it('removes the socket of a window that was killed, and does not ask in a folder that others can write', async () => {
  const state = await stateFolder();
  const folder = join(state, 'windows');
  await mkdir(folder, { mode: 0o700 });
  const server = createServer((socket) => void socket.resume().end('{"type":"allow","scope":"once"}\n'));
  server.listen(join(folder, '00000001.sock'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'allow', scope: 'once' });
  await chmod(folder, 0o777);
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'later' });
  await chmod(folder, 0o700);
  await writeFile(join(folder, '00000002.sock'), '');
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'allow', scope: 'once' });
  expect(await readdir(folder)).toEqual(['00000001.sock']);
});

it('goes on without an answer where a window cannot show the question, and the window stays', async () => {
  const state = await stateFolder();
  let asked = 0;
  await window(
    state,
    async () => {
      asked += 1;
      throw new TypeError('It cannot be shown.');
    },
    async () => {
      throw new TypeError('It cannot be shown.');
    },
  );
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'later' });
  expect(await asker(state).fill?.(FORM, LONG)).toEqual({ action: 'cancel' });
  expect(await asker(state).ask(REQUEST, LONG)).toEqual({ verdict: 'later' });
  expect(asked).toBe(2);
});

it('closes a connection that sends no question', async () => {
  const state = await stateFolder();
  let asked = 0;
  await window(state, async () => {
    asked += 1;
    return { verdict: 'allow', scope: 'once' };
  });
  const [name = ''] = await readdir(join(state, 'windows'));
  for (const words of ['{}\n', 'GET / HTTP/1.1\n', '{"type":"ask"}\n', 'x'.repeat(5 * 1024 * 1024)]) {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    connect(join(state, 'windows', name))
      .on('error', () => undefined)
      .on('close', () => resolve())
      .resume()
      .write(words);
    await closed;
    expect(asked).toBe(0);
  }
});
