import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cp, mkdtemp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FileStore } from '../relay/relay-store.ts';
import { LedgerFile } from './ledger-file.ts';

const PAGE = 4_096;

/** A ledger of many pages, and where the index of its calls is: nothing reads that at the start. */
async function largeLedger(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite');
  using ledger = new LedgerFile(file);
  for (let count = 0; count < 400; count += 1) {
    ledger.put({ id: `call-${count}`, hash: 'h'.repeat(64), state: 'done' }, 'x'.repeat(500));
  }
  ledger.flush();
  return file;
}

/** Overwrites the last page that holds this id as a key, and not as a part of a row. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  const pages = Array.from({ length: statSync(file).size / PAGE }, (_, index) => bytes.subarray(index * PAGE, (index + 1) * PAGE));
  const index = pages.findLastIndex((page) => page.includes('call-') && !page.includes('xxxx'));
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(PAGE, 0x5a), 0, PAGE, index * PAGE);
  closeSync(descriptor);
}

it('a copy of a ledger is a ledger of its own: what was open does not run there, and what ended is known', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-ledger-'));
  const [file, copy] = [join(folder, 'a', 'ledger.sqlite'), join(folder, 'b', 'ledger.sqlite')];
  let first: string;
  {
    using ledger = new LedgerFile(file);
    ledger.put({ id: 'open', hash: 'h', state: 'accepted', call: { tool: 'count', args: {} } });
    ledger.put({ id: 'done', hash: 'h', state: 'done', result: { status: 'success', bytes: 1, sha256: 's' } }, 'x');
    ledger.flush();
    first = ledger.id;
    // Of a machine that runs.
    await cp(dirname(file), dirname(copy), { recursive: true, preserveTimestamps: true });
  }
  {
    using other = new LedgerFile(copy);
    expect(other.isCopy).toBe(true);
    expect(other.id).not.toBe(first);
    expect(other.open()).toMatchObject([{ id: 'open', state: 'started' }]);
    expect(other.result('done')).toMatchObject({ body: 'x' });
  }
  // The folder can be moved, and a copy is reported once.
  await rename(dirname(file), join(folder, 'c'));
  using same = new LedgerFile(join(folder, 'c', 'ledger.sqlite'));
  using again = new LedgerFile(copy);
  expect([same.isCopy, same.id, again.isCopy]).toEqual([false, first, false]);
  expect(same.open()).toMatchObject([{ id: 'open', state: 'accepted' }]);
});

it('a ledger that was restored from a backup is a copy, also where the file has the number of the one that it replaces', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-ledger-'));
  // File systems give the number of a deleted file to one of the next ones.
  for (let round = 0; round < 30; round += 1) {
    const [state, backup] = [join(folder, `state-${round}`), join(folder, `backup-${round}`)];
    const open = (): readonly [isCopy: boolean, id: string] => {
      using ledger = new LedgerFile(join(state, 'ledger.sqlite'));
      return [ledger.isCopy, ledger.id];
    };
    const [, first] = open();
    cpSync(state, backup, { recursive: true, preserveTimestamps: true });
    rmSync(state, { recursive: true });
    cpSync(backup, state, { recursive: true, preserveTimestamps: true });
    const restored = open();
    expect(restored).toEqual([true, expect.not.stringMatching(first)]);
    expect(open()).toEqual([false, restored[1]]);
  }
});

it('a ledger that was cut off is looked through: damage is found before anything runs', async () => {
  const file = await largeLedger();
  damage(file);
  writeFileSync(`${file}-wal`, '');
  expect(() => new LedgerFile(file)).toThrow('The ledger of this session is damaged');
});

it.each([
  ['empty', (file: string) => truncateSync(file)],
  ['gone', (file: string) => rmSync(file)],
])('a ledger that is %s, though what was written to it last is there, is damaged, and not a new one', async (_, harm) => {
  const file = await largeLedger();
  harm(file);
  writeFileSync(`${file}-wal`, 'x');
  expect(() => new LedgerFile(file)).toThrow('The ledger of this session is damaged');
});

it('a ledger that was cut off and is whole is opened', async () => {
  const file = await largeLedger();
  writeFileSync(`${file}-wal`, '');
  using ledger = new LedgerFile(file);
  expect(ledger.get('call-399')?.state).toBe('done');
});

it('a ledger whose journal is gone after a kill is damaged, and not as it was before', async () => {
  const file = await largeLedger();
  const ledger = new LedgerFile(file);
  ledger.put({ id: 'last', hash: 'h', state: 'started' });
  ledger.flush();
  // The files as a kill leaves them.
  const [left, whole] = [join(dirname(file), 'left.sqlite'), join(dirname(file), 'whole.sqlite')];
  for (const end of ['', '-wal', '-open']) for (const copy of [left, whole]) copyFileSync(`${file}${end}`, `${copy}${end}`);
  ledger[Symbol.dispose]();
  rmSync(`${left}-wal`);
  expect(() => new LedgerFile(left)).toThrow('The ledger of this session is damaged');
  for (const path of [whole, file]) {
    using again = new LedgerFile(path);
    expect(again.get('last')?.state).toBe('started');
  }
});

it('a ledger that was closed is not looked through: its start does not depend on its size', async () => {
  const file = await largeLedger();
  damage(file);
  using ledger = new LedgerFile(file);
  expect(ledger.id).not.toBe('');
});

const DAY = 86_400_000;
const body = (index: number): string => `result ${index} `.padEnd(1_000, '.');
const done = (index: number) =>
  [{ id: `c${index}`, hash: 'h', state: 'done', result: { status: 'success', bytes: 1_000, sha256: 's' } }, body(index)] as const;

it('keeps the results that are confirmed up to a limit, the latest ones, and each that is not confirmed', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite');
  const most = { bytes: 3_000, count: 100 };
  const kept = (ledger: LedgerFile): number[] =>
    Array.from({ length: 11 }, (_, index) => index).filter((index) => ledger.result(`c${index}`)?.body === body(index));
  {
    using ledger = new LedgerFile(file, Date.now(), most);
    for (let index = 0; index < 10; index += 1) ledger.put(...done(index));
    ledger.flush();
    ledger.confirm(['c0', 'c1', 'c2', 'c3', 'c4']);
    ledger.confirm(['c5', 'c0']);
    // Not at once: that would cost a write of its own.
    expect(kept(ledger)).toHaveLength(10);
    ledger.put(...done(10));
    ledger.flush();
    expect(kept(ledger)).toHaveLength(11);
    await ledger.sync();
    expect(kept(ledger)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    // That it ended stays known, so that it does not run again.
    expect(ledger.get('c0')).toMatchObject({ state: 'done', result: { status: 'success', bytes: 1_000 } });
    expect(ledger.result('c0')?.body).toContain('This call ended (success), and its result was received before.');
  }
  {
    // What is not written yet is written when it closes.
    using again = new LedgerFile(file, Date.now(), most);
    again.confirm(['c6', 'c7']);
  }
  using last = new LedgerFile(file, Date.now(), most);
  expect(kept(last)).toEqual([5, 6, 7, 8, 9, 10]);
});

it('writes many confirmations without waiting for a call', async () => {
  using ledger = new LedgerFile(join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite'), Date.now(), { bytes: 1e9, count: 10 });
  for (let index = 0; index < 300; index += 1) ledger.put(...done(index));
  ledger.flush();
  ledger.confirm(Array.from({ length: 300 }, (_, index) => `c${index}`));
  expect(ledger.result('c289')?.body).toContain('received before');
  expect(ledger.result('c290')?.body).toBe(body(290));
});

/** Opens the clock's days one after the other, as a process that runs for weeks does. */
function use(ledger: LedgerFile, from: number, to: number): void {
  for (let day = from; day <= to; day += 1) ledger.forget(Date.now() + day * DAY);
}

it.each([
  ['at one start', (file: string, ahead: number) => new LedgerFile(file, ahead)[Symbol.dispose]()],
  [
    'while it is open',
    (file: string, ahead: number) => {
      using ledger = new LedgerFile(file);
      for (let hour = 0; hour < 3; hour += 1) ledger.forget(ahead + hour * 3_600_000);
    },
  ],
  [
    'at each start of a service that is restarted again and again',
    (file: string, ahead: number) => {
      for (let start = 0; start < 20; start += 1) new LedgerFile(file, ahead + start * 5_000)[Symbol.dispose]();
    },
  ],
])('a clock that is far ahead empties no ledger: %s', async (_, jump) => {
  for (const days of [30, 4_000]) {
    const file = join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite');
    {
      using ledger = new LedgerFile(file);
      use(ledger, -20, 0);
      ledger.put(...done(0));
      ledger.flush();
    }
    jump(file, Date.now() + days * DAY);
    using again = new LedgerFile(file);
    expect({ body: again.result('c0')?.body, horizon: again.horizon }).toEqual({ body: body(0), horizon: 0 });
    expect(again.keptFrom).toBeLessThan(Date.now());
    // The control: in time it is forgotten. A day that was seen too early does not shorten that.
    use(again, 0, 6);
    expect(again.get('c0')).toBeDefined();
    use(again, 7, 8);
    expect(again.get('c0')).toBeUndefined();
  }
});

it('a clock that begins in 1970 at each start, and is then set right, does not keep the ledger from forgetting', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite');
  for (let day = 0; day < 9; day += 1) {
    using ledger = new LedgerFile(file, 0);
    ledger.forget(Date.now() + day * 1.01 * DAY);
    if (day === 0) ledger.put(...done(0));
    ledger.flush();
    expect(ledger.get('c0') === undefined, `after ${day} days`).toBe(day >= 7);
  }
});

it('forgets calls after a week while it is open, and then says that it may have', async () => {
  using ledger = new LedgerFile(join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite'));
  ledger.put(...done(0));
  ledger.put({ id: 'running', hash: 'h', state: 'started' });
  ledger.flush();
  ledger.forget(Date.now() + 6 * DAY);
  expect({ known: ledger.get('c0')?.state, horizon: ledger.horizon }).toEqual({ known: 'done', horizon: 0 });
  const made = Date.now();
  use(ledger, 400, 406);
  expect([ledger.get('c0'), ledger.get('running')?.state]).toEqual([undefined, 'started']);
  // Even if the clock was wrong by a year: calls from now on are not from before.
  expect(ledger.horizon).toBeGreaterThan(0);
  expect(ledger.horizon).toBeLessThanOrEqual(made + DAY);
});

it.each([
  ['as the clock of the machine says', 0],
  ['by a clock that is five minutes ahead', 300_000],
  ['by one that is a month ahead', 30 * DAY],
  ['by one that is behind', -DAY],
])('a call that was made %s, and is sent again once it is forgotten, is from before the horizon', async (_, ahead) => {
  using ledger = new LedgerFile(join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite'));
  const madeAt = Date.now() + ahead;
  // Two rows of a turn: only the later one is written.
  ledger.put({ id: 'c', hash: 'h', state: 'accepted', madeAt });
  ledger.put({ id: 'c', hash: 'h', state: 'done' });
  ledger.put({ id: 'other', hash: 'h', state: 'done' });
  ledger.flush();
  const runsAgain = (at: number): boolean => ledger.get('c') === undefined && at >= ledger.horizon;
  for (const days of [0, 1, 2, 3, 4, 5, 6, 7.001, 8, 29, 31, 32, 33, 34, 35, 36, 38, 400, 401, 402, 403, 404, 405, 406]) {
    ledger.forget(Date.now() + days * DAY);
    expect(runsAgain(madeAt), `after ${days} days`).toBe(false);
  }
  // The control: it is forgotten at last, and a later call would run.
  expect(runsAgain(madeAt + DAY + Math.abs(ahead))).toBe(true);
});

it('only the owner reads what a machine and a relay write down, whatever the umask and the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-ledger-'));
  chmodSync(folder, 0o755);
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  using ledger = new LedgerFile(join(folder, 'ledger.sqlite'));
  ledger.put({ id: 'a', hash: 'h', state: 'done' }, 'secret');
  ledger.flush();
  using _relay = new FileStore(join(folder, 'relay.sqlite'));
  // The control: another file has what the umask leaves.
  writeFileSync(join(folder, 'other'), '');
  const modes = readdirSync(folder).map((name) => `${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`);
  expect(modes.filter((mode) => !mode.endsWith(' 600'))).toEqual(['other 666']);
  expect(modes.length).toBeGreaterThan(4);
});

it('calls that ended are in the file before the disk is waited for, and those that started wait', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-ledger-'));
  const file = join(folder, 'a', 'ledger.sqlite');
  using ledger = new LedgerFile(file);
  ledger.put({ id: 'started', hash: 'h', state: 'started', call: { tool: 'read_file', args: {} } });
  ledger.put({ id: 'done', hash: 'h', state: 'done', result: { status: 'success', bytes: 1, sha256: 's' } }, 'x');
  ledger.flushEnded();
  const known = (name: string): readonly string[] => {
    cpSync(dirname(file), join(folder, name), { recursive: true, preserveTimestamps: true });
    using other = new LedgerFile(join(folder, name, 'ledger.sqlite'));
    return ['started', 'done'].filter((id) => other.get(id) !== undefined);
  };
  expect([known('b'), ledger.get('started')?.state, ledger.result('done')?.body]).toEqual([['done'], 'started', 'x']);
  ledger.flush();
  expect(known('c')).toEqual(['started', 'done']);
});
