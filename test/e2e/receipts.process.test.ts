import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, type Place, runCli, runCliProcess } from './run-cli.ts';

const PACKAGE = JSON.stringify({ name: 'receipted', version: '1.0.0', scripts: { test: 'node check.js' } });
const FILES = {
  'package.json': PACKAGE,
  'package-lock.json': '{}\n',
  'check.js': "process.exit(require('node:fs').readFileSync('a.js', 'utf8').includes('good') ? 0 : 1);\n",
  'a.js': 'good\n',
  '.gitignore': 'dist/\n*.log\n',
};

async function git(place: Place, ...words: string[]): Promise<void> {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  await promisify(execFile)('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], { cwd: place.folder });
}

async function repository(files: Record<string, string> = FILES): Promise<Place> {
  const place = await makePlace(files);
  await git(place, 'init', '-q');
  await git(place, 'add', '-A');
  await git(place, 'commit', '-qm', 'first');
  return place;
}

const value = (text: string): unknown => JSON.parse(text);
interface Check {
  readonly state: string;
  readonly changed: string[];
  readonly unread: string[];
  readonly reason: string;
  readonly notes: string[];
}

/** Runs a command; returns the id of its receipt. */
async function run(place: Place, command: string): Promise<string> {
  const called = await runCli(place, ['call', 'run_command', JSON.stringify({ command }), '--allow', 'exec,write', '--json']);
  return (value(called.out) as { meta: { receipt: string } }).meta.receipt;
}

async function receiptOf(place: Place, command: string): Promise<{ file: string; text: string; id: string }> {
  const id = await run(place, command);
  const { out, code, err } = await runCli(place, ['receipt', id.slice(0, 8)]);
  expect([code, err]).toEqual([0, '']);
  const file = join(await mkdtemp(join(tmpdir(), 'synapse-receipt-')), 'receipt.json');
  await writeFile(file, out);
  return { file, text: out, id };
}

async function verify(place: Place, file: string, ...words: string[]): Promise<Check & { code: number | null }> {
  const { out, code } = await runCli(place, ['receipt', 'verify', file, '--json', ...words]);
  return { ...(value(out) as Check), code };
}

it('proves a run, and says what changed since', async () => {
  const place = await repository();
  const { file, text, id } = await receiptOf(place, 'npm test');
  expect(value(text)).toMatchObject({ id, command: 'npm test', exit_code: 0, sandbox: 'bubblewrap', network: 'off', folder: '.' });
  expect(text).not.toContain(place.folder);
  expect(text).not.toContain('good');
  expect(await verify(place, file)).toMatchObject({ code: 0, state: 'valid', changed: [], exit_code: 0, command: 'npm test' });
  expect(await verify(place, file, '--command', 'npm run lint')).toMatchObject({ code: 1, state: 'not-this' });

  // What is ignored is not what it stood on; lock files are.
  await mkdir(join(place.folder, 'dist'));
  await writeFile(join(place.folder, 'dist/out.js'), '1');
  expect(await verify(place, file)).toMatchObject({ state: 'valid' });
  await writeFile(join(place.folder, 'a.js'), 'bad\n');
  await writeFile(join(place.folder, 'new.js'), '1\n');
  expect(await verify(place, file)).toMatchObject({ code: 1, state: 'stale', changed: ['a.js', 'new.js'] });
  const failed = await run(place, 'npm test');
  expect(value(await runCli(place, ['receipts', '--json']).then(({ out }) => out))).toMatchObject([
    { call: failed, command: 'npm test', exit_code: 1, state: 'valid' },
  ]);
  expect((await verify(place, file)).notes).toContainEqual(expect.stringContaining('ran again since: exit code 1'));

  // As it was: the same bytes count, not the times.
  await writeFile(join(place.folder, 'a.js'), 'good\n');
  await rm(join(place.folder, 'new.js'));
  expect(await verify(place, file)).toMatchObject({ code: 0, state: 'valid' });
  expect(value(await runCli(place, ['receipts', '--json']).then(({ out }) => out))).toMatchObject([
    { call: failed, exit_code: 1, state: 'stale', changed: ['a.js', 'new.js'] },
  ]);
  expect(await verify(place, file, '--passed')).toMatchObject({ state: 'valid' });
});

it('is verified elsewhere with the public key alone', async () => {
  const place = await repository();
  const { file } = await receiptOf(place, 'npm test');
  const key = (await runCli(place, ['receipt', 'key'])).out.trim();
  expect(key).toMatch(/^[\w-]{43}$/u);
  const elsewhere = await makePlace();
  await cp(place.folder, elsewhere.folder, { recursive: true });
  // A process of its own, on a machine without any state.
  const fresh = await runCliProcess(elsewhere, ['receipt', 'verify', file, '--json', '--key', key]);
  expect([(value(fresh.out) as Check).state, fresh.code]).toEqual(['valid', 0]);
  await writeFile(join(elsewhere.folder, 'a.js'), 'changed\n');
  await rm(join(elsewhere.folder, 'check.js'));
  expect(await verify(elsewhere, file, '--key', key)).toMatchObject({ state: 'stale', changed: ['a.js', 'check.js'] });
  expect(await verify(elsewhere, file)).toMatchObject({ state: 'forged', code: 3 });
  const other = await makePlace({ 'x.txt': 'x' });
  expect(await verify(other, file, '--key', key)).toMatchObject({ state: 'not-this' });
  // The form that other verifiers read.
  const { id } = value(await readFile(file, 'utf8')) as { id: string };
  await writeFile(file, (await runCli(place, ['receipt', id, '--format', 'in-toto'])).out);
  expect(await verify(elsewhere, file, '--key', key)).toMatchObject({ state: 'stale' });
  expect(await verify(place, file)).toMatchObject({ state: 'valid' });
});

it('shows a change that the command could not have read, and keeps it out of the receipt', async () => {
  const place = await repository({ ...FILES, '.env': 'TOKEN=very-secret-value-1\n' });
  const { file, text } = await receiptOf(place, 'npm test');
  expect(text).not.toContain('very-secret');
  expect(value(text)).toMatchObject({ tree: { not_read: ['.env'] } });
  await appendFile(join(place.folder, '.env'), 'MORE=1\n');
  expect(await verify(place, file)).toMatchObject({ state: 'valid', changed: ['.env'], unread: ['.env'] });
  await writeFile(join(place.folder, 'a.js'), 'other\n');
  expect(await verify(place, file)).toMatchObject({ state: 'stale', changed: ['.env', 'a.js'], unread: ['.env'] });
});

it('masks secrets and paths outside the workspace', async () => {
  const place = await repository();
  const { file, text } = await receiptOf(place, `echo --password hunter2hunter2 /opt/private/thing ${place.folder}/a.js ~/mine ../up; true`);
  for (const hidden of ['hunter2hunter2', '/opt/private', place.folder, '~/mine', '../up']) expect(text).not.toContain(hidden);
  expect(text).toContain('./a.js');
  expect(await verify(place, file)).toMatchObject({ state: 'valid' });
});

it('finds every forged field, and has a sentence for each trick', async () => {
  const place = await repository();
  const { file, text } = await receiptOf(place, 'npm test');
  const receipt = value(text) as Record<string, unknown>;
  for (const field of Object.keys(receipt)) {
    const was = receipt[field];
    const forged =
      typeof was === 'number'
        ? was + 1
        : typeof was === 'string'
          ? `${was.slice(0, -1)}${was.endsWith('A') ? 'B' : 'A'}`
          : { ...(was as object), more: 1 };
    await writeFile(file, JSON.stringify({ ...receipt, [field]: forged }));
    expect([field, (await verify(place, file)).state]).toEqual([field, 'forged']);
    const { [field]: _, ...without } = receipt;
    await writeFile(file, JSON.stringify(without));
    expect([field, (await verify(place, file)).state]).toEqual([field, 'forged']);
  }
  // The same receipt in another form is the same receipt.
  await writeFile(file, JSON.stringify(receipt, undefined, 2));
  expect(await verify(place, file)).toMatchObject({ state: 'valid' });

  // Another key: a lost one, or that of another machine.
  const state = place.environment['XDG_STATE_HOME'] ?? '';
  await rm(join(state, 'synapse', 'receipt-key.json'));
  expect((await verify(place, file)).reason).toContain('give the public key');
  await runCli(place, ['receipt', 'key']);
  expect((await verify(place, file)).reason).toContain('signed with another key');
  expect(await verify(place, file, '--key', String(receipt['key']))).toMatchObject({ state: 'valid' });
});

it('compares a receipt with the audit log of its workspace', async () => {
  const place = await repository();
  const { file } = await receiptOf(place, 'npm test');
  const state = join(place.environment['XDG_STATE_HOME'] ?? '', 'synapse', 'audit');
  const log = join(state, (await readdir(state))[0] ?? '', 'audit-000001.jsonl');
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  // A log that was cut before its record.
  await writeFile(log, `${lines.slice(0, 1).join('\n')}\n`);
  expect(await verify(place, file)).toMatchObject({ state: 'forged', reason: expect.stringContaining('ends before its record') as string });
  // The log went on since.
  await runCli(place, ['call', 'read_file', '{"path":"a.js"}']);
  await run(place, 'true');
  expect(await verify(place, file)).toMatchObject({ state: 'forged', reason: expect.stringContaining('has a gap where its record') as string });
});

it('prints a block for a pull request', async () => {
  const place = await repository();
  await run(place, 'npm test');
  await run(place, 'false');
  const { out, code } = await runCli(place, ['receipt', '--for', 'HEAD', '--markdown']);
  expect(code).toBe(0);
  expect(out).toContain('| `npm test` | passed |');
  expect(out).toContain('| `false` | failed (exit code 1) |');
  await writeFile(join(place.folder, 'a.js'), 'good, and more\n');
  const dirty = await runCli(place, ['receipt', '--for', 'HEAD', '--markdown']);
  expect([dirty.code, dirty.out.includes('No command ran on these files.'), dirty.out.includes('a.js')]).toEqual([1, true, true]);
});
