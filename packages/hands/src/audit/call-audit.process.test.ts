import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { expect, it, onTestFinished, vi } from 'vitest';
import { defineTool } from '../tool/tool.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { followAudit } from './follow-audit.ts';
import { queryAudit } from './query-audit.ts';
import { verifyAudit } from './verify-audit.ts';
import { callUntyped } from '../testing/call-untyped.ts';
import { AuditLog } from './audit-log.ts';
import { describeCause } from './call-audit.ts';
import { PROBE } from '../testing/probe-tool.ts';

const state = (at: { folder: string }): string => join(at.folder, '..', 'state');

it('records every call before and after it runs, from every caller and with every outcome', async () => {
  await using at = await temporaryHands({ 'a.txt': 'text\n' }, { allow: [] });
  await at.hands.call('read_file', { path: './x/../a.txt' }, { sessionId: 's1', stepId: 'step-1', mode: 'thinking' });
  await callUntyped(at.hands, 'read_file', { path: 'missing', extra: 1 });
  await callUntyped(at.hands, 'no_such_tool', { token: 'abc' });
  await at.hands.call('write_file', { path: 'b', content: 'ghp_abcdefghijklmnopqrstuvwxyz' });
  await at.hands.call('read_file', { path: '../a.txt' });
  const calls = [...queryAudit(state(at), at.hands.workspace)].toReversed();
  expect(calls.map(({ tool, status, end }) => [tool, status, end?.code])).toEqual([
    ['read_file', 'ok', undefined],
    ['read_file', 'failed', 'invalid_arguments'],
    ['no_such_tool', 'failed', 'unknown_tool'],
    ['write_file', 'failed', 'approval_required'],
    ['read_file', 'failed', 'outside_workspace'],
  ]);
  expect(calls[0]).toMatchObject({
    start: { session: 's1', step: 'step-1', mode: 'thinking', project: at.folder, arguments: { path: './x/../a.txt' } },
    end: {
      ok: true,
      summary: 'read_file(./x/../a.txt) → 5B',
      effects: 'read',
      resources: [{ action: 'read', resource: './x/../a.txt' }],
      resolved: ['a.txt'],
    },
  });
  expect(JSON.stringify(calls)).not.toMatch(/ghp_abc|"abc"/u);
  expect(verifyAudit(state(at), at.hands.workspace)).toMatchObject({ ok: true, records: 10 });
});

it('takes secrets out of a summary before it is cut, and out of the names of what was changed', async () => {
  const secret = `ghp_${'Secret'.repeat(6)}`;
  await using at = await temporaryHands({ 'a.txt': 'text' });
  for (let filler = 20; filler < 90; filler += 10) {
    const text = `: ${'x'.repeat(filler)} ${secret}`;
    await at.hands.call('run_command', { command: text });
    await at.hands.call('search_text', { pattern: text });
    await at.hands.call('find_files', { glob: [text] });
  }
  await at.hands.call('write_file', { path: `${secret}/${secret}.txt`, content: '' });
  await at.hands.call('move_path', { from: `${secret}/${secret}.txt`, to: `${secret}.txt` });
  await at.hands.call(secret, {});
  const calls = [...queryAudit(state(at), at.hands.workspace)];
  expect(calls.filter(({ status }) => status === 'ok')).toHaveLength(23);
  expect(JSON.stringify(calls)).not.toMatch(/ghp_|Secret/u);
});

it('sums up a call whose address is none without its secret', async () => {
  const tool = defineTool({
    ...PROBE,
    name: 'visit',
    input: z.strictObject({ url: z.string() }),
    summarize: ({ url }) => `visit(${new URL(url).host})`,
    execute: async () => ({ data: {}, content: 'x' }),
  });
  await using at = await temporaryHands({}, { tools: [tool] });
  const result = await at.hands.call('visit', { url: `http://ghp_${'s'.repeat(30)}.example.org/` });
  expect(result).toMatchObject({ ok: true, meta: { summary: 'visit([redacted].example.org)' } });
});

it('holds little of one call, and says how much it left out', async () => {
  await using at = await temporaryHands();
  const long = '\u0001'.repeat(512);
  const many = Array.from({ length: 300 }, () => long);
  for (const tool of ['read_file', 'no_such_tool'])
    await at.hands.call(tool, { path: 'a', many, ...Object.fromEntries(many.map((text, index) => [`${text.slice(0, 60)}${index}`, text])) });
  const folder = 'd'.repeat(200);
  const patch = Array.from({ length: 400 }, (_, index) => `*** Add File: ${folder}/${index}\n+x`).join('\n');
  await at.hands.call('apply_patch', { patch: `*** Begin Patch\n${patch}\n*** End Patch` });
  const [patched, ...refused] = [...queryAudit(state(at), at.hands.workspace)];
  for (const call of refused) expect(JSON.stringify(call.start).length).toBeLessThan(24_000);
  expect(JSON.stringify(patched?.end).length).toBeLessThan(64_000);
  const { changes = [], resources = [], more } = patched?.end ?? {};
  expect(changes.length + (more?.changes ?? 0)).toBe(401);
  expect(resources.length + (more?.resources ?? 0)).toBe(400);
});

it('does not run what could change something where it cannot be written down, and says so of what only reads', async () => {
  const ran: string[] = [];
  const sideEffect = defineTool({
    ...PROBE,
    name: 'side_effect',
    effects: 'exec',
    execute: async () => {
      ran.push('x');
      return { data: {}, content: 'x' };
    },
  });
  await using at = await temporaryHands({ a: 'text' }, { tools: [sideEffect] });
  // A file where the folder of the logs has to be.
  await mkdir(state(at), { recursive: true });
  writeFileSync(join(state(at), 'audit'), '');
  expect(await at.hands.call('side_effect')).toMatchObject({
    ok: false,
    error: { code: 'unavailable', message: expect.stringContaining('was not run') as string },
  });
  expect(ran).toEqual([]);
  expect(await at.hands.call('read_file', { path: 'a' })).toMatchObject({
    ok: true,
    output: expect.stringContaining('not in the audit log') as string,
  });
  await rm(join(state(at), 'audit'));
  expect(await at.hands.call('side_effect')).toMatchObject({ ok: true });
});

it('keeps what is behind a failure that the answer does not explain', async () => {
  const broken = defineTool({
    name: 'broken',
    title: 'x',
    description: 'x',
    effects: 'read',
    input: z.strictObject({}),
    output: z.strictObject({}),
    permission: () => [],
    timeoutMs: 1_000,
    keep: 'head',
    summarize: () => 'x',
    execute: async () => {
      throw new Error('no package diff, token ghp_abcdefghijklmnopqrstuvwxyz0123456789');
    },
  });
  await using at = await temporaryHands({}, { tools: [broken] });
  const result = await at.hands.call('broken', {});
  expect(JSON.stringify(result)).not.toContain('no package');
  await at.hands.call('read_file', { path: 'missing' });
  const [missing, failed] = [...queryAudit(state(at), at.hands.workspace)];
  expect(failed?.end?.cause).toMatch(/^Error: no package diff, token \[redacted\]\n {4}at /u);
  expect(missing?.end).not.toHaveProperty('cause');
});

it('follows calls of another process as they end', async () => {
  await using at = await temporaryHands({ a: 'text' });
  const controller = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const { call } of followAudit(state(at), at.hands.workspace, { session: 'wanted' }, controller.signal)) {
      if (seen.push(call) === 2) controller.abort();
    }
  })();
  const script = `
    import { createHands } from ${sourceUrl('runtime/create-hands.ts')};
    await using hands = await createHands(${JSON.stringify({ workspace: at.folder, stateFolder: state(at) })});
    for (const [callId, sessionId] of [['1', 'wanted'], ['2', 'other'], ['3', 'wanted']]) await hands.call('read_file', { path: 'a' }, { callId, sessionId });`;
  await runScript(script).output;
  await following;
  expect(seen).toEqual(['1', '3']);
});

it('writes the start of a reading call that lasts before another one ends', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const slow = defineTool({
    name: 'slow',
    title: 'x',
    description: 'x',
    effects: 'read',
    input: z.strictObject({}),
    output: z.strictObject({}),
    permission: () => [],
    timeoutMs: 60_000,
    keep: 'head',
    summarize: () => 'x',
    execute: async () => {
      await ended;
      return { data: {}, content: 'x' };
    },
  });
  await using at = await temporaryHands({ a: 'a' }, { tools: [slow] });
  const running = at.hands.call('slow', {}, { callId: 'slow' });
  await at.hands.call('read_file', { path: 'a' });
  const statuses = (): unknown[] => [...queryAudit(state(at), at.hands.workspace)].map(({ call, status }) => call === 'slow' && status);
  expect(statuses()).toContain('running');
  end();
  await running;
  expect(statuses()).toContain('ok');
});

it('writes calls that end in one turn together, each with its own start', async () => {
  await using at = await temporaryHands({ a: 'a' });
  const callIds = Array.from({ length: 100 }, (_, index) => `call-${index}`);
  const append = vi.spyOn(AuditLog.prototype, 'appendAll');
  onTestFinished(() => append.mockRestore());
  const results = await Promise.all(callIds.map((callId) => at.hands.call('read_file', { path: 'a' }, { callId })));
  expect(results.every(({ ok }) => ok)).toBe(true);
  const calls = [...queryAudit(state(at), at.hands.workspace)];
  expect(new Set(calls.map(({ call }) => call))).toEqual(new Set(callIds));
  expect(calls.every(({ call, start }) => start?.call === call)).toBe(true);
  expect(calls.every(({ status, end, start }) => status === 'ok' && end?.start === start?.seq)).toBe(true);
  expect(verifyAudit(state(at), at.hands.workspace)).toMatchObject({ ok: true, records: 200 });
  expect(append.mock.calls.length).toBeLessThan(20);
});

it('loses no finished call to kill -9, and marks a started one as interrupted', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const folder = await mkdtemp(join(tmpdir(), 'synapse-kill-'));
  const [workspace, stateFolder] = [join(folder, 'workspace'), join(folder, 'state')];
  await mkdir(workspace);
  writeFileSync(join(workspace, 'a'), 'text');
  // Told synchronously: what is in the output had ended before the process was killed.
  const script = (round: number): string => `
    import { writeSync } from 'node:fs';
    import { createHands } from ${sourceUrl('runtime/create-hands.ts')};
    import { readFile } from ${sourceUrl('tools/read-file.ts')};
    // One that could change something: its start is written before anything else happens.
    const endless = { ...readFile, name: 'endless', effects: 'exec', execute: () => new Promise(() => {}) };
    const hands = await createHands({ ...${JSON.stringify({ workspace, stateFolder })}, tools: [endless] });
    void hands.call('endless', { path: 'a' }, { callId: '${round}-endless' });
    writeSync(1, 'ready\\n');
    for (let index = 0; ; index += 1) {
      const { meta } = await hands.call('read_file', { path: 'a' }, { callId: '${round}-' + index });
      writeSync(1, meta.callId + '\\n');
    }`;
  let random = seed;
  const told: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    const { process: child, output } = runScript(script(round));
    random = (random * 48_271) % (2 ** 31 - 1);
    const atLeast = 5 + (random % 60);
    let lines = 0;
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => (lines += chunk.toString().split('\n').length - 1) > atLeast && resolve());
    });
    child.kill('SIGKILL');
    // The last one may have been cut by the kill itself.
    told.push(...(await output).split('\n').slice(1, -1));
  }
  const calls = new Map([...queryAudit(stateFolder, workspace)].map((call) => [call.call, call.status]));
  expect(verifyAudit(stateFolder, workspace), `seed ${seed}`).toMatchObject({ ok: true });
  expect(told.length).toBeGreaterThan(20);
  expect(
    told.filter((call) => calls.get(call) !== 'ok'),
    `seed ${seed}`,
  ).toEqual([]);
  for (let round = 0; round < 6; round += 1) expect(calls.get(`${round}-endless`), `seed ${seed}`).toBe('interrupted');
});

it('tells what broke, and where', () => {
  const lines = describeCause(new TypeError('no such thing')).split('\n');
  expect(lines[0]).toBe('TypeError: no such thing');
  expect(lines[1]).toContain('call-audit.process.test.ts');
  expect(lines.length).toBeLessThan(8);
});

it.each([
  ['text', 'text'],
  [undefined, 'undefined'],
  [Object.create(null), '[unreadable]'],
  [
    new Proxy(new Error('a'), {
      get: () => {
        throw new Error('b');
      },
    }),
    '[unreadable]',
  ],
  [Object.defineProperty(new Error('short'), 'stack', { value: undefined }), 'Error: short'],
])('reads anything that was thrown: %#', (cause, expected) => {
  expect(describeCause(cause)).toBe(expected);
});
