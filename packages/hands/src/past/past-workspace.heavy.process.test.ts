import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { JournalDatabase } from '../journal/journal-database.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { workspaceId } from '../state/state-folder.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { AttributeWorker } from '../transaction/attribute-worker.ts';
import { changesSince } from './changes-since.ts';
import { PastWorkspace } from './past-workspace.ts';
import { restorePast } from './restore-past.ts';

const DAY_MS = 86_400_000;
const attributes = new AttributeWorker();
afterAll(() => attributes[Symbol.dispose]());

const hasSandbox = (await findBubblewrap()) !== undefined;

/** Everything in a folder: content by path. */
function snapshot(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, prefix)).toSorted()) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) Object.assign(found, { [path]: '/' }, snapshot(folder, path));
    else found[path] = stat.isSymbolicLink() ? `-> ${readlinkSync(join(folder, path))}` : readFileSync(join(folder, path), 'latin1');
  }
  return found;
}

/** The same of a moment. */
function snapshotOf(past: PastWorkspace, folder = '.'): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { path, type, target } of past.list(folder)) {
    if (type === 'directory') Object.assign(found, { [path]: '/' }, snapshotOf(past, path));
    else found[path] = type === 'link' ? `-> ${target}` : past.read(path).bytes.toString('latin1');
  }
  return found;
}

/** The workspace around each call of a history. */
class History {
  readonly at: TemporaryHands;
  readonly calls: Array<{
    readonly id: string;
    readonly before: Record<string, string>;
    readonly after: Record<string, string>;
  }> = [];

  constructor(at: TemporaryHands) {
    this.at = at;
  }

  get state(): string {
    return join(this.at.folder, '..', 'state');
  }

  async call(tool: string, input: object): Promise<string> {
    const before = snapshot(this.at.folder);
    const result = await this.at.hands.call<string>(tool, input);
    this.calls.push({ id: result.meta.callId, before, after: snapshot(this.at.folder) });
    return result.ok ? 'ok' : result.error.message;
  }

  async undo(last: number): Promise<void> {
    await this.at.hands.undo({ last }).catch(() => undefined);
  }

  open(call: string, side: 'before' | 'after'): PastWorkspace {
    return PastWorkspace.open(this.at.folder, this.state, call, side);
  }

  /** What was there around each call. */
  were(): object[] {
    return this.calls.flatMap(({ id, before, after }) => [
      { id, side: 'before', files: before },
      { id, side: 'after', files: after },
    ]);
  }

  /** What is shown of the same moments. */
  shown(): object[] {
    return this.calls.flatMap(({ id }) =>
      (['before', 'after'] as const).map((side) => {
        using past = this.open(id, side);
        return { id, side, files: snapshotOf(past) };
      }),
    );
  }
}

const FILES = { 'a.txt': 'a1\n', 'd/b.txt': 'b1\n', 'd/e/c.bin': Buffer.from([0, 255, 1]), 'k/z.txt': 'z\n' };

describe('the workspace at a moment', () => {
  it('is as it was around each call: writes, edits, moves, deletions, reads, and undos', async () => {
    await using place = await temporaryHands(FILES);
    const history = new History(place);
    const steps: Array<[tool: string, input: object]> = [
      ['write_file', { path: 'a.txt', content: 'a2\n' }],
      ['read_file', { path: 'a.txt' }],
      ['write_file', { path: 'new/deep/x.txt', content: 'x\n' }],
      ['edit_file', { path: 'd/b.txt', edits: [{ old_text: 'b1', new_text: 'b2' }] }],
      ['move_path', { from: 'd', to: 'moved' }],
      ['edit_file', { path: 'moved/b.txt', edits: [{ old_text: 'b2', new_text: 'b3' }] }],
      ['delete_directory', { path: 'moved/e', recursive: true }],
      ['list_directory', {}],
    ];
    for (const [tool, input] of steps) expect(await history.call(tool, input), JSON.stringify(input)).toBe('ok');
    await history.undo(1);
    expect(await history.call('write_file', { path: 'moved/e/c.bin', content: 'text' })).toBe('ok');
    await history.undo(3);
    await history.call('read_file', { path: 'a.txt' });
    expect(history.shown()).toEqual(history.were());
  });

  it.skipIf(!hasSandbox)('is as it was around commands, which replace files and folders as a whole, and around their undo', async () => {
    await using place = await temporaryHands(FILES, { sandbox: 'required' });
    const history = new History(place);
    const commands = [
      'echo 2 > a.txt; rm -r d; mkdir d; echo n > d/n.txt',
      'mv d k/d; ln -s k/d d; chmod 600 a.txt',
      'cat a.txt',
      'rm -r k; echo file > k',
      'mkdir -p q/w && cp a.txt q/w && rm a.txt',
    ];
    for (const command of commands) {
      await history.call('run_command', { command });
      await history.call('write_file', { path: 'between.txt', content: command });
    }
    await history.undo(2);
    await history.call('run_command', { command: 'echo again > q2; rm -f between.txt' });
    await history.undo(4);
    await history.call('read_file', { path: 'between.txt' });
    expect(history.shown()).toEqual(history.were());
  });

  it.skipIf(!hasSandbox)('is made in a copy, with permissions and links', async () => {
    await using place = await temporaryHands(FILES, { sandbox: 'required' });
    const history = new History(place);
    await history.call('run_command', { command: 'chmod 750 a.txt d; ln -s b.txt d/l; mkdir shut; echo s > shut/s; chmod 500 shut' });
    await history.call('run_command', { command: 'rm d/l; chmod 644 a.txt; chmod 700 shut; rm -r shut; mv d d2; echo new > d2/e/c.bin' });
    const copy = join(place.outside, 'copy');
    cpSync(place.folder, copy, { recursive: true, verbatimSymlinks: true });
    using past = history.open(history.calls[1]?.id ?? '', 'before');
    await restorePast(past, copy, attributes, new AbortController().signal);
    expect(snapshot(copy)).toEqual(history.calls[1]?.before);
    const modes = ['a.txt', 'd', 'shut'].map((name) => (lstatSync(join(copy, name)).mode & 0o777).toString(8));
    expect(modes).toEqual(['750', '750', '500']);
    chmodSync(join(copy, 'shut'), 0o700);
  });

  it.skipIf(!hasSandbox)('has the times that its files had, so that the newest come first again', async () => {
    await using place = await temporaryHands(FILES, { sandbox: 'required' });
    const names = Object.keys(FILES);
    // Files of a checkout have equal times, which Node cannot set to the nanosecond.
    const [first = ''] = names;
    for (const name of names) execFileSync('touch', ['-r', place.at(first), place.at(name)]);
    const times = (folder: string): bigint[] => names.map((name) => lstatSync(join(folder, name), { bigint: true }).mtimeNs);
    const were = times(place.folder);
    const history = new History(place);
    await history.call('write_file', { path: 'a.txt', content: 'a2\n' });
    await history.call('delete_file', { path: 'k/z.txt' });
    await history.call('run_command', {
      command: 'echo b2 > d/b.txt; mv d/e moved',
    });
    const copy = join(place.outside, 'copy');
    execFileSync('cp', ['-a', place.folder, copy]);
    using past = history.open(history.calls[0]?.id ?? '', 'before');
    await restorePast(past, copy, attributes, new AbortController().signal);
    expect(times(copy)).toEqual(were);
  });

  it.skipIf(!hasSandbox)('is as it was in random histories', async () => {
    const path = fc.constantFrom('a.txt', 'd/b.txt', 'd/e/c.bin', 'd', 'd/e', 'k', 'x', 'x/y.txt');
    const step = fc.oneof(
      fc.record({ tool: fc.constant('write_file'), input: fc.record({ path, content: fc.string({ maxLength: 4 }) }) }),
      fc.record({ tool: fc.constant('move_path'), input: fc.record({ from: path, to: path }) }),
      fc.record({ tool: fc.constant('delete_file'), input: fc.record({ path }) }),
      fc.record({ tool: fc.constant('delete_directory'), input: fc.record({ path, recursive: fc.constant(true) }) }),
      fc.record({
        tool: fc.constant('run_command'),
        input: fc.record({
          command: fc.tuple(fc.constantFrom('rm -rf', 'mkdir -p', 'touch', 'mv -f a.txt', 'cp -r d'), path).map((words) => words.join(' ')),
        }),
      }),
      fc.record({ tool: fc.constant('undo'), input: fc.record({ last: fc.integer({ min: 1, max: 3 }) }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
        await using place = await temporaryHands(FILES, { sandbox: 'required' });
        const history = new History(place);
        for (const { tool, input } of steps) {
          if ('last' in input) await history.undo(input.last);
          else await history.call(tool, input);
        }
        await history.call('read_file', { path: 'k/z.txt' });
        expect(history.shown()).toEqual(history.were());
        for (const [index, { id, before }] of history.calls.entries()) {
          const copy = join(place.outside, String(index));
          cpSync(place.folder, copy, { recursive: true, verbatimSymlinks: true });
          using past = history.open(id, 'before');
          await restorePast(past, copy, attributes, new AbortController().signal);
          expect(snapshot(copy), id).toEqual(before);
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it.each([-1, 1])('is as it was if the clock was set between calls, by %s day', async (days) => {
    await using place = await temporaryHands(FILES);
    const history = new History(place);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await history.call('write_file', { path: 'a.txt', content: 'a2\n' });
    await history.undo(1);
    await history.call('read_file', { path: 'a.txt' });
    vi.setSystemTime(Date.now() + days * DAY_MS);
    await history.call('list_directory', {});
    await history.call('write_file', { path: 'a.txt', content: 'a3\n' });
    vi.setSystemTime(Date.now() - days * DAY_MS);
    await history.call('read_file', { path: 'a.txt' });
    await history.call('write_file', { path: 'a.txt', content: 'a4\n' });
    expect(history.shown()).toEqual(history.were());
  });

  it('says what differs from now, and what something else changed', async () => {
    await using place = await temporaryHands(FILES);
    const history = new History(place);
    await history.call('write_file', { path: 'a.txt', content: 'a2\n' });
    await history.call('move_path', { from: 'd', to: 'moved' });
    writeFileSync(place.at('k/z.txt'), 'by a person\n');
    using past = history.open(history.calls[0]?.id ?? '', 'before');
    const { changes } = await changesSince(past, '.', new AbortController().signal);
    expect(changes.map(({ kind, path, from }) => [kind, from, path])).toEqual([
      ['changed', undefined, 'a.txt'],
      ['moved', 'd', 'moved'],
    ]);
    expect(changes[0]?.diff).toContain('-a1\n+a2');
    expect(past.read('k/z.txt')).toMatchObject({ changedSince: true });
    expect(past.list('k')).toEqual([{ path: 'k/z.txt', type: 'file', size: 12, changed_since: true }]);
    expect(past.read('d/b.txt')).toEqual({ bytes: Buffer.from('b1\n'), changedSince: false });
  });

  it.each([
    ['../outside', 'outside_workspace'],
    ['/etc/passwd', 'outside_workspace'],
    ['link/passwd', 'outside_workspace'],
    ['missing', 'not_found'],
    ['k', 'wrong_type'],
  ])('does not read %s: %s', async (path, code) => {
    await using place = await temporaryHands(FILES, { sandbox: hasSandbox ? 'required' : 'none' });
    const history = new History(place);
    await history.call('run_command', { command: 'ln -s /etc link' });
    await history.call('write_file', { path: 'a.txt', content: '2' });
    using past = history.open(history.calls[1]?.id ?? '', 'before');
    expect(() => past.read(path)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses an unknown call, and one that the journal does not reach', async () => {
    await using place = await temporaryHands(FILES);
    const history = new History(place);
    for (const digit of '1234') await history.call('write_file', { path: 'a.txt', content: digit.repeat(30_000) });
    const first = history.calls[0]?.id ?? '';
    {
      using database = new JournalDatabase(join(history.state, 'journal', workspaceId(place.folder), 'journal.db'));
      database.prune(0, 40_000);
    }
    expect(() => history.open('ffffffff', 'before')).toThrow(expect.objectContaining({ code: 'not_found', message: 'Call not found: ffffffff' }));
    expect(() => history.open(first, 'before')).toThrow(
      expect.objectContaining({ code: 'not_found', hint: expect.stringContaining('It reaches back to the call') as unknown }),
    );
    using past = history.open(history.calls.at(-1)?.id ?? '', 'before');
    expect(past.read('a.txt').bytes.toString()).toBe('3'.repeat(30_000));
  });
});
