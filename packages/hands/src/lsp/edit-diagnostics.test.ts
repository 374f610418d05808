import { expect, it } from 'vitest';
import { settlesWithin } from '../events/timing.ts';
import type { RecordedChange } from '../workspace/changes/step.ts';
import type { Diagnostics } from './diagnostics.ts';
import { ChangeLog } from './change-log.ts';
import { EditDiagnostics } from './edit-diagnostics.ts';
import type { Finding } from './finding.ts';

const finding = (line: number, message: string, severity: Finding['severity'] = 'error'): Finding => ({
  line,
  column: 1,
  severity,
  code: '7',
  message,
});
const change = (before: string | null, after: string): RecordedChange => ({
  kind: before === null ? 'create' : 'write',
  path: 'a.ts',
  before,
  after,
});

/** A server with these findings. */
function server(version: string, findings: readonly Finding[], more: Partial<Diagnostics> = {}): () => Diagnostics {
  return () => ({
    isWarm: () => true,
    changedFiles: () => [],
    changesFor: () => undefined,
    check: async (path) => ({ path, status: 'checked', findings, note: 'x', version }),
    ...more,
  });
}

it('tells what got worse and what got better, whatever line it is on now', async () => {
  const edits = new EditDiagnostics();
  await edits.after([change('0', '1')], server('1', [finding(1, 'kept'), finding(2, 'fixed'), finding(3, 'hint', 'hint')]));
  expect(await edits.after([change('1', '2')], server('2', [finding(9, 'kept'), finding(12, 'new')]))).toEqual([
    'Worse: a.ts:12:1 error 7 new.',
    'Better: 1 finding gone from a.ts.',
  ]);
  expect(await edits.after([change('2', '3')], server('3', [finding(9, 'kept'), finding(12, 'new')]))).toEqual([
    'Diagnostics of a.ts: nothing new, 2 as before.',
  ]);
});

it('names the one of equal findings that was not there before', async () => {
  const edits = new EditDiagnostics();
  await edits.after([change('0', '1')], server('1', [finding(9, 'same')]));
  expect(await edits.after([change('1', '2')], server('2', [finding(2, 'same'), finding(9, 'same')]))).toEqual(['Worse: a.ts:2:1 error 7 same.']);
});

it('compares nothing with a state that it does not know', async () => {
  const edits = new EditDiagnostics();
  expect(await edits.after([change('0', '1')], server('1', [finding(1, 'old')]))).toEqual([
    'Diagnostics of a.ts (not compared with before): a.ts:1:1 error 7 old.',
  ]);
  const many = Array.from({ length: 155 }, (_, index) => finding(index + 1, 'old'));
  expect(await new EditDiagnostics().after([change('0', '1')], server('1', many))).toEqual([
    'Diagnostics of a.ts (not compared with before): 155 findings, such as a.ts:1:1 error 7 old.',
  ]);
  // Changed by another program in between.
  expect(await edits.after([change('other', '2')], server('2', []))).toEqual(['Diagnostics of a.ts: nothing found.']);
  expect(await new EditDiagnostics().after([change(null, '1')], server('1', [finding(1, 'made')]))).toEqual(['Worse: a.ts:1:1 error 7 made.']);
});

it('never shows the findings of another text', async () => {
  expect(await new EditDiagnostics().after([change('0', '1')], server('2', [finding(1, 'stale')]))).toEqual([]);
});

it('says not yet when the server is slow, and knows its answer the next time', async () => {
  const edits = new EditDiagnostics();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = server('1', [], {
    check: async (path) => {
      await promise;
      return { path, status: 'checked', findings: [finding(1, 'late')], note: 'x', version: '1' };
    },
  });
  const told = edits.after([change('0', '1')], slow);
  expect(await settlesWithin(told, 1_000)).toBe(true);
  expect(await told).toEqual(['Diagnostics of a.ts: not yet; the tool diagnostics waits for them.']);
  resolve();
  await expect
    .poll(async () => await edits.after([change('1', '1')], server('1', [finding(1, 'late')])))
    .toEqual(['Diagnostics of a.ts: nothing new, 1 as before.']);
});

it('starts no server, and hides a failure', async () => {
  const cold = server('1', [], { isWarm: () => false, check: () => Promise.reject(new Error('started')) });
  expect(await new EditDiagnostics().after([change('0', '1')], cold)).toEqual([]);
  const broken = server('1', [], { check: () => Promise.reject(new Error('broken')) });
  expect(await new EditDiagnostics().after([change('0', '1')], broken)).toEqual([
    'Diagnostics of a.ts: not yet; the tool diagnostics waits for them.',
  ]);
});

it('says the same of many files once, names some of them, and leaves out none', async () => {
  const paths = Array.from({ length: 7 }, (_, index) => `f${index}.ts`);
  const answers = server('1', [], {
    check: async (path) => {
      if (path === 'f1.ts') throw new Error('broken');
      return { path, status: 'checked', findings: path === 'f3.ts' ? [finding(1, 'old')] : [], note: 'x', version: '1' };
    },
  });
  expect(
    await new EditDiagnostics().after(
      paths.map((path) => ({ ...change('0', '1'), path })),
      answers,
    ),
  ).toEqual([
    'Diagnostics of f3.ts (not compared with before): f3.ts:1:1 error 7 old.',
    'Diagnostics of f0.ts, f2.ts, f4.ts: nothing found.',
    'Diagnostics of f1.ts, f5.ts, f6.ts: not yet; the tool diagnostics waits for them.',
  ]);
  const broken = server('1', [], { check: () => Promise.reject(new Error('broken')) });
  expect(
    await new EditDiagnostics().after(
      paths.map((path) => ({ ...change('0', '1'), path })),
      broken,
    ),
  ).toEqual(['Diagnostics of f0.ts, f1.ts and 5 more: not yet; the tool diagnostics waits for them.']);
});

it('says that other files changed since a file was checked last, which may be what its findings come from', async () => {
  const edits = new EditDiagnostics();
  const log = new ChangeLog();
  const asked = (version: string, findings: readonly Finding[]) => server(version, findings, { changesFor: () => log });
  log.note(['a.ts']);
  await edits.after([change('0', '1')], asked('1', []));
  log.note(['b.ts', 'a.ts']);
  expect(await edits.after([change('1', '2')], asked('2', [finding(1, 'new')]))).toEqual([
    'Worse since its last check, before other files changed: a.ts:1:1 error 7 new.',
  ]);
  log.note(['a.ts']);
  expect(await edits.after([change('2', '3')], asked('3', [finding(1, 'new'), finding(2, 'own')]))).toEqual(['Worse: a.ts:2:1 error 7 own.']);
  // The other file is of the same call.
  log.note(['b.ts', 'a.ts']);
  const both = [{ ...change('3', '4'), path: 'b.ts' }, change('3', '4')];
  expect(await edits.after(both, asked('4', []))).toContain('Better: 2 findings gone from a.ts.');
  log.noteAll();
  expect(await edits.after([change('4', '5')], asked('5', [finding(1, 'new')]))).toEqual([
    'Worse since its last check, before other files changed: a.ts:1:1 error 7 new.',
  ]);
});
