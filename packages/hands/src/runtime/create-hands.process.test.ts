import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import { openRoot } from '../workspace/open-root.ts';
import { createHands } from './create-hands.ts';
import type { HandsOptions } from './hands-options.ts';

it('closes once, however often and by how many it is closed', async () => {
  await using at = await temporaryHands({ 'a.txt': 'a\n' });
  const { hands } = at;
  const command = hands.call('run_command', { command: 'sleep 60' });
  await Promise.all([hands[Symbol.asyncDispose](), hands[Symbol.asyncDispose]()]);
  expect(await command).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  await hands[Symbol.asyncDispose]();
});

it.each<[string, string, object]>([
  ['reading', 'read_file', { path: 'a.txt' }],
  ['writing', 'write_file', { path: 'b.txt', content: '' }],
  ['a command', 'run_command', { command: 'true' }],
])('says of %s that the hands are closed, not that the folder is gone', async (_, tool, input) => {
  await using at = await temporaryHands({ 'a.txt': 'a\n' });
  await at.hands[Symbol.asyncDispose]();
  const closed = { code: 'unavailable', message: 'These hands are closed.' };
  expect(await at.hands.call(tool, input)).toMatchObject({ ok: false, error: closed });
  await expect(at.hands.explain(tool, input)).rejects.toMatchObject(closed);
});

it('opens nothing again once it is closed', async () => {
  await using at = await temporaryHands();
  const { hands } = at;
  await hands.call('write_file', { path: 'a.txt', content: 'a\n' });
  await hands[Symbol.asyncDispose]();
  const open = readdirSync('/proc/self/fd').length;
  for (const use of [() => hands.undo(), () => hands.planUndo(), () => hands.changes()]) {
    await expect(use()).rejects.toMatchObject({ code: 'unavailable', message: 'These hands are closed.' });
  }
  expect(readdirSync('/proc/self/fd')).toHaveLength(open);
});

describe('a start that fails', () => {
  const held = (): { files: number; children: string } => ({
    files: readdirSync('/proc/self/fd').length,
    children: readdirSync('/proc/self/task')
      .map((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8'))
      .join(''),
  });
  const place = (root: string) => ({ workspace: join(root, 'w'), stateFolder: join(root, 's'), configFolder: join(root, 'c') });
  const made = (): string => {
    const root = mkdtempSync(join(tmpdir(), 'hands-fail-'));
    mkdirSync(join(root, 'w'));
    return root;
  };

  it.each<[string, Partial<HandsOptions>]>([
    ['a tool of a name that is taken', { tools: [CANONICAL_TOOLS[0]] }],
    ['a folder to read that is not there', { readable: ['/', '/nowhere/at/all'] }],
    ['a mode that does not exist', { policy: { mode: 'careless' as 'ask' } }],
    ['an MCP server without a command', { readable: ['/'], mcp: { servers: { bad: {} } } }],
  ])('leaves nothing open: %s', async (_, options) => {
    const root = made();
    const before = held();
    for (let round = 0; round < 50; round += 1) await expect(createHands({ ...place(root), ...options })).rejects.toThrow();
    expect(held()).toEqual(before);
    rmSync(root, { recursive: true });
  });

  it('would be seen', () => {
    const root = made();
    const before = held();
    const open = Array.from({ length: 50 }, () => openRoot(join(root, 'w'), join(root, 's')).confinement);
    expect(held().files).toBeGreaterThanOrEqual(before.files + 50);
    for (const one of open) one[Symbol.dispose]();
    expect(held()).toEqual(before);
    rmSync(root, { recursive: true });
  });
});

it('reads without a search, a sandbox, jobs, language servers or a look at the folders', async () => {
  const before = readdirSync('/proc/self/fd').length;
  await using at = await temporaryHands({ 'a.txt': 'a\n' });
  await at.hands.call('read_file', { path: 'a.txt' });
  // The workspace's handle, and the audit log's files.
  const reading = readdirSync('/proc/self/fd').length - before;
  await at.hands.call('find_files', { glob: '*' });
  expect(readdirSync('/proc/self/fd').length - before).toBeGreaterThan(reading);
});

it('says of a tracked project that is gone that it was one', async () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-gone-'));
  const folder = join(base, 'project');
  mkdirSync(folder);
  const stateFolder = join(base, 'state');
  await (await createHands({ workspace: folder, stateFolder, tracked: 'add' }))[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  await expect(createHands({ workspace: folder, stateFolder })).rejects.toMatchObject({ code: 'not_found', message: 'Project no longer exists' });
  await expect(createHands({ workspace: join(base, 'none'), stateFolder })).rejects.toMatchObject({
    message: expect.stringContaining('does not exist') as string,
  });
});
