import { createHands } from '@synapse/hands';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import type { BrainOptions, BrowserSocket } from './brain/brain-options.ts';
import type { RemoteHands } from './brain/remote-hands.ts';
import { fastPace } from './fixtures/fast-pace.ts';
import { tappedSocket } from './fixtures/tapped-socket.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

const MB = 1_048_576;

/** Runs work with a brain whose machine may run commands. The workspace has a file with this text. */
async function withCommands(text: string, work: (brain: RemoteHands) => Promise<void>, options: BrainOptions = {}): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), 'synapse-output-'));
  try {
    const workspace = await mkdtemp(join(base, 'workspace-'));
    await writeFile(join(workspace, 'all.txt'), text);
    const stateFolder = join(base, 'state');
    await using hands = await createHands({ workspace, stateFolder, configFolder: join(base, 'config'), sandbox: 'none', allow: ['exec'] });
    await using relay = await serveRelay({ port: 0 });
    await using connected = new ConnectedHands(hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder });
    connected.stopped.catch(() => {});
    await using brain = connectHands(relay.url, { ...options, session: 'desk' });
    await work(brain);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Compares without printing megabytes. */
const isSame = (actual: string, expected: string): boolean => Buffer.from(actual).equals(Buffer.from(expected));

it('5 MB that a command prints at once can be read, every byte of it', async () => {
  // Characters of one to four bytes: pipes, chunks and pieces end within all of them.
  const output = 'aä€\u{1F600}\n'.repeat((5 * MB) / 11);
  await withCommands(output, async (brain) => {
    const seen: string[] = [];
    const onProgress = ({ output: piece = '' }): number => seen.push(piece);
    expect(await brain.call('run_command', { command: 'cat all.txt' }, { callId: 'fast', onProgress })).toMatchObject({ ok: true });
    const read = await brain.output('fast');
    expect({ bytes: Buffer.byteLength(read), same: isSame(read, output) }).toEqual({ bytes: Buffer.byteLength(output), same: true });
    expect(isSame(await brain.output('fast', { from: 4 * 11 }), output.slice(4 * 6))).toBe(true);
    // Events may omit some of it, and have nothing else.
    expect(seen.every((piece) => output.includes(piece))).toBe(true);
  });
});

it('what a running command has printed can be read before it ends, and the rest after', async () => {
  await withCommands('x'.repeat(MB), async (brain) => {
    const running = brain.call('run_command', { command: 'cat all.txt; until [ -e go ]; do sleep 0.02; done; echo end >&2' }, { callId: 'slow' });
    await expect.poll(async () => (await brain.output('slow')).length).toBe(MB);
    expect(await brain.call('run_command', { command: 'touch go' })).toMatchObject({ ok: true });
    expect(await running).toMatchObject({ ok: true });
    expect(await brain.output('slow', { from: MB })).toBe('end\n');
    expect(isSame(await brain.output('slow'), `${'x'.repeat(MB)}end\n`)).toBe(true);
  });
});

it('an output travels once where nothing receives it as it comes, and can be read all the same', async () => {
  const output = Array.from({ length: 300 }, (_, index) => `line ${index * 7_919} of an output\n`).join('');
  let heard = '';
  const openSocket = (url: string): BrowserSocket => tappedSocket(url, (text, way) => ((heard += way === 'down' ? text : ''), [text]));
  await withCommands(
    output,
    async (brain) => {
      const times = async (callId: string, options: { onProgress?: () => void } = {}): Promise<number> => {
        heard = '';
        expect(await brain.call('run_command', { command: 'cat all.txt' }, { callId, ...options })).toMatchObject({ ok: true });
        return Math.round(heard.split(' of an output').length / 300);
      };
      expect(await times('quiet')).toBe(1);
      expect(isSame(await brain.output('quiet'), output)).toBe(true);
      expect(await times('heard', { onProgress: () => {} })).toBe(2);
      const unsubscribe = brain.subscribe(() => {});
      expect(await times('subscribed')).toBe(2);
      unsubscribe();
      expect(await times('quiet again')).toBe(1);
    },
    { openSocket },
  );
});

it('of more than 64 MiB the beginning can be read, and the output says so', async () => {
  await withCommands('x'.repeat(65 * MB), async (brain) => {
    expect(await brain.call('run_command', { command: 'cat all.txt' }, { callId: 'large' })).toMatchObject({ ok: true });
    const read = await brain.output('large');
    const note = read.slice(read.lastIndexOf('x') + 1);
    expect(note).toBe('\n⟨Only the first 64 MiB of the output were kept.⟩\n');
    expect(read.length - note.length).toBeGreaterThan(64 * MB - 65_536);
    expect(read.length - note.length).toBeLessThanOrEqual(64 * MB);
  });
});

/** A socket whose reads ask for a call that the machine does not know, which it does not answer. */
function unansweredReads(url: string): WebSocket {
  const socket = new WebSocket(url);
  const send = socket.send.bind(socket);
  socket.send = (text) => send(typeof text === 'string' ? text.replace('"of":"output","name":"lost"', '"of":"output","name":"none"') : text);
  return socket;
}

it('a call ends with its result though its output cannot be read to the end', async () => {
  await withCommands(
    'all of it\n',
    async (brain) => {
      const seen: string[] = [];
      const onOutput = (text: string): number => seen.push(text);
      const command = 'cat all.txt; until [ -e go ]; do sleep 0.02; done';
      const running = brain.call('run_command', { command }, { callId: 'lost', onOutput });
      await expect.poll(() => seen).toEqual(['all of it\n']);
      expect(await brain.call('run_command', { command: 'touch go' })).toMatchObject({ ok: true });
      expect(await running).toMatchObject({ ok: true });
      expect(seen.join('')).toContain('all of it\n\n⟨The rest of the output could not be read: The machine does not answer.⟩\n');
    },
    { openSocket: unansweredReads, pace: fastPace(20) },
  );
});
