import { spawnSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemProgram } from '../launch/system-program.ts';
import { runScript, SCRIPT_OPTIONS, sourceUrl } from '../testing/run-script.ts';
import { auditFolder, listSegments, SegmentFile, segmentPath } from './audit-folder.ts';
import { AuditLog } from './audit-log.ts';
import type { UnlinkedRecord } from './audit-record.ts';
import { FIRST_PREVIOUS, MAX_RECORDS, seal } from './audit-head.ts';
import { queryAudit } from './query-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const ROOT = '/some/project';

async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  return folder;
}

const start = (call: string, tool = 'read_file'): UnlinkedRecord => ({
  type: 'start',
  call,
  tool,
  project: ROOT,
  process: '4194305 1',
  arguments: { path: `${call}.txt` },
});

async function filled(records: number): Promise<{ state: string; folder: string; file: string; lines: () => Promise<string[]> }> {
  const state = await stateFolder();
  using log = AuditLog.open(state, ROOT);
  for (let index = 0; index < records; index += 1) log.append(start(`call-${index}`));
  const folder = auditFolder(state, ROOT);
  const file = segmentPath(folder, 1);
  return { state, folder, file, lines: async () => (await readFile(file, 'utf8')).split(/(?<=\n)/u) };
}

const swap = (lines: string[], a: number, b: number): string[] =>
  lines.map((line, index) => lines[index === a ? b : index === b ? a : index] ?? line);
const forged = (lines: string[]): string => seal(start('forged'), 11, new Date(), /"hash":"(\w+)"/u.exec(lines[9] ?? '')?.[1] ?? '').text;

it('verifies if it was not changed', async () => {
  const { state, folder } = await filled(10);
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 10, problems: [] });
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it.each<[string, (path: string, elsewhere: string) => Promise<unknown>]>([
  ['a link', (path, elsewhere) => symlink(elsewhere, path)],
  ['a link to nothing', (path) => symlink('/nowhere/at/all', path)],
  ['a folder', (path) => mkdir(path)],
  ['a file of another kind', (path) => writeFile(path, '')],
])('is neither read nor written through %s in its place, and is not called whole', async (kind, replace) => {
  for (const below of ['', 'audit-000001.jsonl', 'head']) {
    if ((below === '' && kind === 'a folder') || (below !== '' && kind === 'a file of another kind')) continue;
    const { state, folder } = await filled(3);
    const elsewhere = join(state, 'elsewhere');
    await writeFile(elsewhere, 'theirs');
    await rm(join(folder, below), { recursive: true });
    await replace(join(folder, below), elsewhere);
    expect(() => verifyAudit(state, ROOT)).toThrow(/audit log cannot be (?:read|written)/u);
    expect(() => {
      using log = AuditLog.open(state, ROOT);
      log.append(start('after'));
    }).toThrow(/audit log cannot be/u);
    expect(await readFile(elsewhere, 'utf8')).toBe('theirs');
    if (below !== 'head') expect(() => [...queryAudit(state, ROOT)]).toThrow('audit log cannot be read');
  }
});

it.each<[string, (lines: string[]) => string[], string]>([
  ['an edit', (lines) => lines.with(4, lines[4]!.replace('call-4', 'call-x')), 'is not as it was written'],
  ['a changed space', (lines) => lines.with(4, lines[4]!.replace('{"seq"', '{ "seq"')), 'is not as it was written'],
  ['a removed line', (lines) => lines.toSpliced(4, 1), '1 missing after 4'],
  ['a removed first line', (lines) => lines.slice(1), 'The beginning of the log is missing'],
  ['two swapped lines', (lines) => swap(lines, 3, 6), 'does not follow'],
  ['a repeated line', (lines) => lines.toSpliced(4, 0, lines[3]!), 'does not follow'],
  [
    'a line that starts a new chain',
    (lines) => lines.with(4, seal(start('call-x'), 5, new Date(), /"prev":"(\w+)"/u.exec(lines[4]!)![1]!).text),
    'was replaced',
  ],
  ['lines cut off at the end', (lines) => lines.slice(0, 7), 'ends at record 7, but 10 were written'],
  ['half a line cut off', (lines) => lines.with(9, lines[9]!.slice(0, 40)), 'does not end'],
  ['the last newline cut off', (lines) => lines.with(9, lines[9]!.slice(0, -1)), 'does not end'],
  ['everything cut off', () => [], 'ends at record 0, but 10 were written'],
  ['a forged line with the right hash', (lines) => [...lines, forged(lines)], 'that Synapse did not write'],
  ['a blank line', (lines) => lines.toSpliced(4, 0, '\n'), 'is not as it was written'],
])('finds %s, also after more was recorded', async (_, tamper, problem) => {
  const { state, file, lines } = await filled(10);
  await writeFile(file, tamper(await lines()).join(''));
  const found = verifyAudit(state, ROOT);
  expect(found.ok).toBe(false);
  expect(found.problems.map((one) => one.problem).join('\n')).toContain(problem);
  using log = AuditLog.open(state, ROOT);
  log.append(start('later'));
  expect(verifyAudit(state, ROOT).ok).toBe(false);
  expect([...queryAudit(state, ROOT, { limit: 1 })].map(({ call }) => call)).toEqual(['later']);
});

it.each<[string, (at: { folder: string; file: string }) => Promise<unknown>]>([
  ['a missing file', ({ file }) => unlink(file)],
  ['a missing head', ({ folder }) => unlink(join(folder, 'head'))],
  ['a damaged head', ({ folder }) => writeFile(join(folder, 'head'), 'nonsense')],
  ['a file put in its place', ({ folder, file }) => rename(file, segmentPath(folder, 2))],
])('finds %s', async (_, tamper) => {
  const at = await filled(10);
  await tamper(at);
  using log = AuditLog.open(at.state, ROOT);
  log.append(start('later'));
  log.append(start('latest'));
  expect(verifyAudit(at.state, ROOT).ok).toBe(false);
});

it('knows the size of its file while that has a name', async () => {
  const folder = await stateFolder();
  using segment = new SegmentFile(folder, 1);
  segment.append(Buffer.from('one\ntwo\n'));
  expect(segment.sizeIfNamed).toBe(8);
  await appendFile(segmentPath(folder, 1), 'x');
  expect(segment.sizeIfNamed).toBe(9);
  await unlink(segmentPath(folder, 1));
  expect(segment.sizeIfNamed).toBeUndefined();
});

it.each(['10 records', 'some records'])('finds that all files are gone, in which %s were', async (records) => {
  const { state, folder, file } = await filled(10);
  await unlink(file);
  if (records === 'some records') await writeFile(join(folder, 'head'), 'nonsense');
  const { ok, problems } = verifyAudit(state, ROOT);
  expect({ ok, problems: problems.map(({ problem }) => problem) }).toMatchObject({ ok: false, problems: [expect.stringContaining(records)] });
  const problem = expect.stringContaining('No audit log of this workspace') as string;
  expect(verifyAudit(state, join(ROOT, 'never-opened'))).toMatchObject({ ok: false, records: 0, problems: [{ problem }] });
});

it('sets an unfinished line aside, byte for byte, and goes on', async () => {
  const { state, folder, file, lines } = await filled(3);
  const [, second = ''] = await lines();
  await writeFile(join(folder, 'head'), (await readFile(join(folder, 'head'), 'utf8')).replace('"pending":[]', `"pending":["${'a'.repeat(64)}"]`));
  await appendFile(file, second.slice(0, 50));
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 3, notices: [expect.stringContaining('unfinished line')] });
  using log = AuditLog.open(state, ROOT);
  log.append(start('later'));
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 5 });
  const aside = (await readdir(folder)).filter((name) => name.includes('.aside-'));
  expect(await Promise.all(aside.map((name) => readFile(join(folder, name), 'utf8')))).toEqual([second.slice(0, 50)]);
});

it('keeps no copy that it could not finish', async () => {
  const { folder, file } = await filled(1);
  using segment = new SegmentFile(folder, Number(/\d+/u.exec(basename(file))?.[0]));
  const limited = vi.spyOn(segment, 'read').mockImplementation(() => expect.fail('the disk is full'));
  expect(() => segment.setAside(0)).toThrow('the disk is full');
  expect((await readdir(folder)).filter((name) => name.includes('.aside-'))).toEqual([]);
  limited.mockRestore();
  expect(segment.setAside(0).name).toContain('.aside-0-1');
});

it('sets surplus content aside in full, also more than it reads at once', async () => {
  const { state, folder, file } = await filled(1);
  const { size } = await stat(file);
  const surplus = 70 * 1024 * 1024;
  await truncate(file, size + surplus);
  await appendFile(file, 'end');
  using log = AuditLog.open(state, ROOT);
  log.append(start('later'));
  expect((await stat(join(folder, `${basename(file)}.aside-${size}-1`))).size).toBe(surplus + 3);
  expect(verifyAudit(state, ROOT)).toMatchObject({
    ok: false,
    records: 3,
    problems: [{ problem: expect.stringContaining(`of ${surplus + 3} bytes`) as string }],
  });
});

it('takes a record whose writer was killed before it could say so', async () => {
  const { state, folder, file, lines } = await filled(10);
  const size = (await stat(file)).size;
  const line = forged(await lines());
  const head = await readFile(join(folder, 'head'), 'utf8');
  await writeFile(join(folder, 'head'), head.replace('"pending":[]', `"pending":["${/"hash":"(\w+)"\}/u.exec(line)![1]!}"]`));
  await appendFile(file, line);
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 11 });
  await truncate(file, size);
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 10 });
  await appendFile(file, line);
  using log = AuditLog.open(state, ROOT);
  log.append(start('later'));
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 12, notices: [] });
});

it('goes on in a new file, and removes the oldest ones, with the chain unbroken', async () => {
  const state = await stateFolder();
  {
    using log = AuditLog.open(state, ROOT, { segmentBytes: 2_000 });
    for (let index = 0; index < 40; index += 1) log.append(start(`call-${index}`));
  }
  const folder = auditFolder(state, ROOT);
  expect(listSegments(folder).length).toBeGreaterThan(4);
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 40 });
  expect([...queryAudit(state, ROOT)].map(({ call }) => call)).toEqual(Array.from({ length: 40 }, (_, index) => `call-${39 - index}`));
  {
    using log = AuditLog.open(state, ROOT, { segmentBytes: 2_000, totalBytes: 5_000 });
    for (let index = 40; index < 60; index += 1) log.append(start(`call-${index}`));
  }
  const { ok, notices } = verifyAudit(state, ROOT);
  expect({ ok, removed: notices.length > 0 }).toEqual({ ok: true, removed: true });
  expect(listSegments(folder)[0]?.number).toBeGreaterThan(1);
  await unlink(listSegments(folder)[0]!.path);
  expect(verifyAudit(state, ROOT).problems.map(({ problem }) => problem)).toContain('The beginning of the log is missing.');
});

it('is searched by time, whatever the clock did', async () => {
  const { state, folder } = await filled(0);
  const times = ['10:00', '12:00', '09:00', '09:01', '12:30'];
  const lines: string[] = [];
  let previous = FIRST_PREVIOUS;
  const add = (record: UnlinkedRecord, time: string): void => {
    const line = seal(record, lines.length + 1, new Date(`2026-01-01T${time}:00Z`), previous);
    lines.push(line.text);
    previous = line.hash;
  };
  for (const time of times) add(start(time), time);
  const end = { tool: 'read_file', ok: true, completion: 'ok', summary: 'x', duration_ms: 1, result_bytes: 0 } as const;
  add({ type: 'end', start: 2, call: '12:00', ...end }, '09:02');
  await mkdir(folder, { recursive: true });
  await writeFile(segmentPath(folder, 1), lines.join(''));
  const since = (time: string): unknown[] =>
    [...queryAudit(state, ROOT, { since: new Date(`2026-01-01T${time}:00Z`) })].map(({ call, status }) => `${call} ${status}`);
  expect(since('11:00')).toEqual(['12:30 interrupted', '12:00 ok']);
  expect(since('09:01')).toEqual(['12:30 interrupted', '09:01 interrupted', '12:00 ok', '10:00 interrupted']);
  expect(since('13:00')).toEqual([]);
});

const UNSHARE = systemProgram('unshare') ?? 'none';
/** A separate small file system, for tests that may mount one. */
const ON_SMALL_DISK = ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', 'mount -t tmpfs -o size=256k tmpfs "$1" && shift && exec "$@"', 'sh'];

it.skipIf(spawnSync(UNSHARE, [...ON_SMALL_DISK, tmpdir(), 'true']).status !== 0)(
  'says that the disk is full, and loses no earlier record',
  async () => {
    const state = await stateFolder();
    const script = `
    import { unlinkSync, writeFileSync } from 'node:fs';
    import { AuditLog } from ${sourceUrl('audit/audit-log.ts')};
    import { queryAudit } from ${sourceUrl('audit/query-audit.ts')};
    import { verifyAudit } from ${sourceUrl('audit/verify-audit.ts')};
    const [state, root, filler] = ${JSON.stringify([state, ROOT, join(state, 'filler')])};
    const calls = () => [...queryAudit(state, root)].map(({ call }) => call).toReversed();
    const written = [];
    const append = (call) => (log.append({ ...${JSON.stringify(start(''))}, call }), written.push(call));
    using log = AuditLog.open(state, root);
    append('before');
    try { writeFileSync(filler, Buffer.alloc(1024 * 1024)); } catch {}
    let message = '';
    // What is left of the last page of the file has room for some.
    for (let index = 0; index < 1_000 && message === ''; index += 1) try { append('call-' + index); } catch (error) { message = error.message; }
    const kept = JSON.stringify(calls()) === JSON.stringify(written);
    unlinkSync(filler);
    append('after');
    const whole = JSON.stringify(calls()) === JSON.stringify(written);
    console.log(JSON.stringify({ message, kept, whole, ok: verifyAudit(state, root).ok, last: calls().at(-1) }));`;
    const { stdout } = spawnSync(UNSHARE, [...ON_SMALL_DISK, state, process.execPath, ...SCRIPT_OPTIONS, script], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({
      message: 'The audit log cannot be written: the disk of the state folder of Synapse is full.',
      kept: true,
      whole: true,
      ok: true,
      last: 'after',
    });
  },
);

it('stays one chain with concurrent writers', async () => {
  const state = await stateFolder();
  const script = (name: string): string => `
    import { AuditLog } from ${sourceUrl('audit/audit-log.ts')};
    using log = AuditLog.open(${JSON.stringify(state)}, ${JSON.stringify(ROOT)}, { segmentBytes: 50_000 });
    for (let index = 0; index < 300; index += 1) {
      log.append({ ...${JSON.stringify(start('call'))}, call: ${JSON.stringify(name)} + index });
      if (index % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }`;
  await Promise.all(['a', 'b', 'c'].map((name) => runScript(script(name)).output));
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 900 });
  const calls = [...queryAudit(state, ROOT)].map(({ call }) => call).toReversed();
  for (const name of ['a', 'b', 'c']) {
    expect(calls.filter((call) => call.startsWith(name))).toEqual(Array.from({ length: 300 }, (_, index) => `${name}${index}`));
  }
});

it('loses nothing, and finds what is taken away, where its writer was killed while it kept the lock', async () => {
  const { state, file, lines } = await filled(2);
  const script = `
    import { AuditLog } from ${sourceUrl('audit/audit-log.ts')};
    const log = AuditLog.open(${JSON.stringify(state)}, ${JSON.stringify(ROOT)});
    for (const call of ['a', 'b']) log.append({ ...${JSON.stringify(start('call'))}, call });
    log.appendAll(['c', 'd'].map((call) => () => ({ ...${JSON.stringify(start('call'))}, call })));
    process.kill(process.pid, 'SIGKILL');`;
  const { process: child, output } = runScript(script);
  await output;
  expect(child.signalCode).toBe('SIGKILL');
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 6, notices: [] });
  const written = await lines();
  await writeFile(file, written.toSpliced(3).join(''));
  expect(verifyAudit(state, ROOT).problems.map(({ problem }) => problem)).toEqual(['The log ends at record 3, but 4 were written.']);
  await writeFile(file, written.join(''));
  using log = AuditLog.open(state, ROOT);
  log.append(start('later'));
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 7, notices: [] });
});

it('keeps every whole record of a step that a kill cut short', async () => {
  for (const whole of [0, 1, 30, MAX_RECORDS - 1, MAX_RECORDS]) {
    for (const torn of whole === MAX_RECORDS ? [0] : [0, 20]) {
      const { state, file, lines } = await filled(2);
      const script = `
        import { AuditLog } from ${sourceUrl('audit/audit-log.ts')};
        const log = AuditLog.open(${JSON.stringify(state)}, ${JSON.stringify(ROOT)});
        log.appendAll(Array.from({ length: ${MAX_RECORDS} }, (_, index) => () => ({ ...${JSON.stringify(start('call'))}, call: 'step-' + index })));
        process.kill(process.pid, 'SIGKILL');`;
      await runScript(script).output;
      const written = await lines();
      expect(written).toHaveLength(2 + MAX_RECORDS);
      await writeFile(file, written.slice(0, 2 + whole).join('') + (written[2 + whole] ?? '').slice(0, torn));
      using log = AuditLog.open(state, ROOT);
      log.append(start('later'));
      expect(verifyAudit(state, ROOT), `${whole} records and ${torn} bytes`).toMatchObject({
        ok: true,
        records: 2 + whole + 1 + Number(torn > 0),
        notices: torn > 0 ? [expect.stringContaining('unfinished line')] : [],
      });
    }
  }
});

it('goes on where another log of the same process ended', async () => {
  const state = await stateFolder();
  using first = AuditLog.open(state, ROOT);
  using second = AuditLog.open(state, ROOT);
  for (let index = 0; index < 5; index += 1) {
    first.append(start('a'));
    expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 2 * index + 1 });
    second.append(start('b'));
  }
  expect(verifyAudit(state, ROOT)).toMatchObject({ ok: true, records: 10 });
});
