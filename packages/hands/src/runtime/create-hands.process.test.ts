import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listProcesses } from '../process/process-table.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import { openRoot } from '../workspace/open-root.ts';
import { createHands } from './create-hands.ts';
import type { HandsOptions } from './hands-options.ts';

/** What this process has: descriptors, with what they are of, and child processes. */
function held(): string[] {
  const descriptors = readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [`${descriptor} ${readlinkSync(`/proc/self/fd/${descriptor}`)}`];
    } catch {
      // The one that the list was read with.
      return [];
    }
  });
  const children = listProcesses().filter(({ parent }) => parent === process.pid);
  return [...descriptors, ...children.map(({ pid }) => `child ${pid}`)];
}

/** What it has more than before. Less may be there: the test files that ran in this process before still close some. */
function heldSince(before: readonly string[]): string[] {
  const known = new Set(before);
  return held().filter((one) => !known.has(one));
}

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
  const before = held();
  for (const use of [() => hands.undo(), () => hands.planUndo(), () => hands.changes()]) {
    await expect(use()).rejects.toMatchObject({ code: 'unavailable', message: 'These hands are closed.' });
  }
  expect(heldSince(before)).toEqual([]);
});

describe('a start that fails', () => {
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
    expect(heldSince(before)).toEqual([]);
    rmSync(root, { recursive: true });
  });

  it('would be seen', () => {
    const root = made();
    const before = held();
    const open = Array.from({ length: 50 }, () => openRoot(join(root, 'w'), join(root, 's')).confinement);
    expect(heldSince(before).length).toBeGreaterThanOrEqual(50);
    for (const one of open) one[Symbol.dispose]();
    expect(heldSince(before)).toEqual([]);
    rmSync(root, { recursive: true });
  });
});

it('reads without a search, a sandbox, jobs, language servers or a look at the folders', async () => {
  const before = held();
  await using at = await temporaryHands({ 'a.txt': 'a\n' });
  await at.hands.call('read_file', { path: 'a.txt' });
  // The workspace's handle, and the audit log's files.
  const reading = heldSince(before).length;
  await at.hands.call('find_files', { glob: '*' });
  expect(heldSince(before).length).toBeGreaterThan(reading);
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
