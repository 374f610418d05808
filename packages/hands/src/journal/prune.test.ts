import { lstatSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../state/database.ts';
import { JournalDatabase } from './journal-database.ts';
import type { Step } from '../workspace/changes/step.ts';

let folder: string;
let database: JournalDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'synapse-prune-'));
  database = new JournalDatabase(join(folder, 'journal.db'));
});
afterEach(() => {
  vi.restoreAllMocks();
  database[Symbol.dispose]();
});

const SIZE = 1000;
const sumOf = (content: number): string => String(content).padStart(64, '0');

function stepWith(contents: readonly number[]): Step[] {
  return contents.map((content) => ({
    kind: 'set',
    path: ['a'],
    before: { type: 'file', size: SIZE, mode: 0o644, sha256: sumOf(content), kept: true },
    after: null,
  }));
}

/** Writes down a change that took away contents. */
function add(contents: readonly number[], { time = 1_000, isOpen = false, undoes = [] as number[] } = {}): number {
  const id = database.insert({
    call: 'c',
    session: undefined,
    tool: 't',
    time,
    process: 'p',
    progress: null,
    undoes,
    lost: [],
    steps: stepWith(contents),
  });
  if (!isOpen) database.finish({ id, call: 'c', undoes });
  return id;
}

/** Not with `using`: databases of Node 22 are not disposable. */
const openOther = (): DatabaseSync => {
  const database = new DatabaseSync(join(folder, 'journal.db'));
  onTestFinished(() => database.close());
  return database;
};

const ids = (): unknown[] => {
  const other = openOther();
  return other
    .prepare('SELECT id FROM entry ORDER BY id')
    .all()
    .map((row) => row['id']);
};

it('forgets the oldest until the rest is not too much', () => {
  const all = [add([1]), add([2]), add([]), add([3]), add([4])];
  database.prune(0, 4 * SIZE);
  expect(ids()).toEqual(all);
  database.prune(0, 2 * SIZE);
  expect(ids()).toEqual(all.slice(2));
});

it('counts a content once, and gives it up with the last change that has it', () => {
  const [, , third] = [add([1]), add([2]), add([1])];
  database.prune(0, SIZE);
  expect(ids()).toEqual([third]);
});

it('keeps changes that are open, and forgets those that are too old', () => {
  const open = add([1], { isOpen: true });
  add([1, 2]);
  const late = add([3], { time: 5_000 });
  database.prune(2_000, 10 * SIZE);
  expect(ids()).toEqual([open, late]);
  database.prune(2_000, 0);
  expect(ids()).toEqual([open]);
});

it('removes what no change has, a few at a time, and stays with what cannot be removed', () => {
  for (let content = 0; content < 10; content += 1) add([content]);
  database.prune(0, 4 * SIZE);
  const removed: string[] = [];
  const remove = (sum: string): boolean => {
    removed.push(sum);
    return sum !== sumOf(0);
  };
  let after = database.removeUnused('', 4, remove);
  expect(removed).toHaveLength(4);
  after = database.removeUnused(after ?? '', 4, remove);
  expect([after, removed]).toEqual([undefined, [0, 1, 2, 3, 4, 5].map(sumOf)]);
  expect(database.removeUnused('', 10, () => true)).toBeUndefined();
  removed.length = 0;
  database.removeUnused('', 10, remove);
  expect(removed).toEqual([]);
});

it('takes as many statements for 40,000 changes as for a few', () => {
  const other = openOther();
  other.exec('BEGIN');
  const entry = other.prepare(`INSERT INTO entry VALUES (?, 'c', NULL, 't', 1000, 'done', 'p', NULL, '[]', NULL, '[]', '[]')`);
  const blob = other.prepare('INSERT INTO blob VALUES (?, ?)');
  const both = other.prepare('INSERT INTO entry_blob VALUES (?, ?)');
  for (let id = 1; id <= 40_000; id += 1) {
    entry.run(id);
    blob.run(sumOf(id), SIZE);
    both.run(id, sumOf(id));
  }
  other.exec('COMMIT');
  let statements = 0;
  for (const name of ['run', 'get', 'all', 'iterate'] as const) {
    const original = StatementSync.prototype[name];
    vi.spyOn(StatementSync.prototype, name).mockImplementation(function (this: StatementSync, ...given: never[]) {
      statements += 1;
      return Reflect.apply(original, this, given);
    } as never);
  }
  database.prune(0, 10_000 * SIZE);
  expect(statements).toBeLessThan(10);
  vi.restoreAllMocks();
  expect(ids()).toHaveLength(10_000);
});

it('checks a large database once a day, and a damaged one is set aside then', () => {
  const other = openOther();
  other.exec('CREATE TABLE big (x)');
  const insert = other.prepare('INSERT INTO big VALUES (zeroblob(1000000))');
  for (let count = 0; count < 6; count += 1) insert.run();
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(statSync(join(folder, 'journal.db')).size).toBeGreaterThan(4 * 1024 * 1024);
  const checks = (): number => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    openDatabase(join(folder, 'journal.db'), '').database.close();
    const count = prepare.mock.calls.filter(([sql]) => sql.includes('quick_check')).length;
    prepare.mockRestore();
    return count;
  };
  expect([checks(), checks(), checks()]).toEqual([1, 0, 0]);
  other.exec('PRAGMA user_version = 1');
  expect(checks()).toBe(1);
});

it('knows that what was undone may be from before a time, also after it is forgotten', () => {
  const [old, later] = [add([1], { time: 1_000 }), add([2], { time: 3_000 })];
  const [undo] = [add([], { time: 4_000, undoes: [old] }), add([], { time: 4_000, undoes: [later] })];
  const found = (): number[] => database.undoneAcross(2_000).map(({ id }) => id);
  expect(found()).toEqual([old]);
  // A week later.
  database.prune(2_000, 10 * SIZE);
  expect(ids()).not.toContain(old);
  expect(found()).toEqual([undo]);
});

it('does not count as unchanged what a change put back that is forgotten for its size', () => {
  const stat = lstatSync(folder, { bigint: true });
  vi.spyOn(Date, 'now').mockReturnValue(2_000);
  database.inodeMap.putBack(stat);
  database.inodeMap.flush();
  add([1, 2], { time: 1_500 });
  const kept = add([3], { time: 2_500 });
  database.prune(0, 3 * SIZE);
  expect(database.inodeMap.isPutBack(stat)).toBe(true);
  database.prune(0, SIZE);
  expect(ids()).toEqual([kept]);
  expect(database.inodeMap.isPutBack(stat)).toBe(false);
});
