import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runScript, sourceUrl } from '../../testing/run-script.ts';
import { temporaryHands, type TemporaryHands } from '../../testing/temporary-hands.ts';
import { openWindow, type ForeignOutput } from './open-window.ts';

async function place(): Promise<TemporaryHands & { readonly state: string }> {
  const at = await temporaryHands({ 'a.txt': 'one\n' }, {});
  return Object.assign(at, { state: join(dirname(at.folder), 'state') });
}

async function window(state: string): Promise<ForeignOutput[]> {
  const outputs: ForeignOutput[] = [];
  const opened = await openWindow(state, {
    answer: async () => ({ verdict: 'later' }),
    fillForm: async () => undefined,
    onOutput: (output) => outputs.push(output),
  });
  if (opened === undefined) throw new Error('There is no window.');
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return outputs;
}

it('shows the outputs and errors of calls in each window, and writes them to no file', async () => {
  await using at = await place();
  const [one, two] = [await window(at.state), await window(at.state)];
  await writeFile(at.at('secret.txt'), 'opensesame-4711\n');
  const read = await at.hands.call('read_file', { path: 'secret.txt' }, { callId: 'first' });
  await at.hands.call('read_file', { path: 'none.txt' }, { callId: 'second' });
  for (const outputs of [one, two]) {
    await expect
      .poll(() => outputs)
      .toMatchObject([
        { root: at.hands.workspace, call: 'first', ok: true, text: read.ok ? read.output : '' },
        { call: 'second', ok: false, text: expect.stringContaining('none.txt') as string },
      ]);
  }
  const files = readdirSync(at.state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), 'latin1')).not.toContain('opensesame-4711');
});

it('sends what waits before the hands close', async () => {
  const at = await place();
  const outputs = await window(at.state);
  await at.hands.call('read_file', { path: 'a.txt' }, { callId: 'last' });
  await at.hands[Symbol.asyncDispose]();
  await expect.poll(() => outputs).toMatchObject([{ call: 'last' }]);
  await at[Symbol.asyncDispose]();
});

it('closes beside an open window in a process with nothing else to do', async () => {
  await using at = await place();
  await window(at.state);
  // Node exits with 13 if nothing is left to do while a module waits at its top level.
  const { process: child, output } = runScript(`
    import { createHands } from ${sourceUrl('runtime/create-hands.ts')};
    const hands = await createHands(${JSON.stringify({ workspace: at.folder, stateFolder: at.state })});
    await hands.call('read_file', { path: 'a.txt' });
    await hands[Symbol.asyncDispose]();
    console.log('closed');`);
  expect(await output).toBe('closed\n');
  expect(child.exitCode).toBe(0);
});

it('is not stopped by a window that was killed, or that reads nothing', async () => {
  await using at = await place();
  const folder = join(at.state, 'windows');
  await mkdir(folder, { mode: 0o700, recursive: true });
  await writeFile(join(folder, '00000001.sock'), '');
  const stuck = createServer((socket) => void socket.pause().on('error', () => undefined));
  stuck.listen(join(folder, '00000002.sock'));
  await once(stuck, 'listening');
  onTestFinished(() => void stuck.close());
  for (let call = 0; call < 100; call += 1) expect(await at.hands.call('read_file', { path: 'a.txt' })).toMatchObject({ ok: true });
  await expect.poll(() => readdir(folder)).toEqual(['00000002.sock']);
});
