import type { Progress } from '@synapse/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endsWithPrompt, ProgressFeed } from './progress-feed.ts';

describe('ProgressFeed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('tells the first piece at once, and at most ten a second', () => {
    const told: Progress[] = [];
    using feed = new ProgressFeed((progress) => told.push(progress));
    feed.add('stdout', 'first');
    expect(told).toEqual([{ output: 'first', stream: 'stdout' }]);
    for (let count = 0; count < 1_000; count += 1) {
      feed.add('stderr', 'x');
      vi.advanceTimersByTime(1);
    }
    expect(told.length).toBeGreaterThan(8);
    expect(told.length).toBeLessThanOrEqual(11);
    expect(told.slice(1).every(({ stream }) => stream === 'stderr')).toBe(true);
  });

  it('tells what is left at the end, of both streams in order', () => {
    const told: Progress[] = [];
    {
      using feed = new ProgressFeed((progress) => told.push(progress));
      feed.add('stdout', 'a');
      feed.add('stdout', 'b');
      feed.add('stderr', 'c');
    }
    expect(told).toEqual([{ output: 'a', stream: 'stdout' }, { output: 'bc' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps every piece small', () => {
    const told: Progress[] = [];
    {
      using feed = new ProgressFeed((progress) => told.push(progress));
      feed.add('stdout', 'x'.repeat(1_000_000));
      for (let count = 0; count < 1_000; count += 1) feed.add('stdout', `${'y'.repeat(1_000)}${count}`);
    }
    expect(told).toHaveLength(2);
    for (const { output = '' } of told) expect(output.length).toBeLessThan(9_000);
    expect(told[1]?.output?.endsWith('y999')).toBe(true);
  });

  it('gives all of the output to listeners that ask for all of it', () => {
    let all = '';
    {
      using feed = new ProgressFeed(
        () => {},
        (text) => (all += text),
      );
      feed.add('stdout', 'x'.repeat(1_000_000));
      feed.add('stderr', 'é');
      feed.add('stdout', '');
    }
    expect(all === `${'x'.repeat(1_000_000)}é`).toBe(true);
  });

  it('stands a watcher that fails', () => {
    using feed = new ProgressFeed(() => {
      throw new Error('watcher');
    });
    feed.add('stdout', 'a');
    feed.add('stdout', 'b');
    expect(() => vi.advanceTimersByTime(1_000)).not.toThrow();
  });
});

describe('endsWithPrompt', () => {
  it.each([
    'Password: ',
    '[sudo] password for ada: ',
    "Enter passphrase for key '/home/ada/.ssh/id': ",
    'Do you want to continue? [Y/n] ',
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
    'log\npackage name: (demo) ',
    'overwrite build? ',
    'Press any key to continue...',
    "Username for 'https://example.org': ",
    '>>> ',
    'mysql> ',
  ])('takes %j for a question', (output) => {
    expect(endsWithPrompt(output)).toBe(true);
  });

  it.each(['', '\n', 'Password: \n', 'listening on port 3000', 'compiling a.ts\n', '10 tests passed', `${'x'.repeat(400)}: `])(
    'takes %j for none',
    (output) => {
      expect(endsWithPrompt(output)).toBe(false);
    },
  );
});
