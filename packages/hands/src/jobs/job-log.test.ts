import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newJobId, JobLog, readLog, removeLog } from './job-log.ts';

const LIMITS = { segmentBytes: 8, segments: 3 };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'synapse-job-log-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
});

/** Writes a text in pieces of a size. */
function written(text: string, piece: number): { log: JobLog; id: string } {
  const id = newJobId();
  const log = new JobLog(folder, id, LIMITS);
  for (let at = 0; at < text.length; at += piece) log.write(Buffer.from(text.slice(at, at + piece)));
  return { log, id };
}

describe('a log', () => {
  it.each([1, 3, 8, 9, 100])('in pieces of %i bytes keeps the newest, and says from where on', (piece) => {
    const text = '0123456789abcdefghijklmnopqrstuvwxyz';
    const { log, id } = written(text, piece);
    using _ = log;
    expect(log.end).toBe(36);
    const part = log.read(0, 100);
    // Four parts and a half were written; three full ones before the last, at most, are kept.
    expect(part.bytes.toString()).toBe(text.slice(part.from));
    expect(part.from).toBe(16);
    expect(part.end).toBe(36);
    expect(readdirSync(folder)).toHaveLength(3);
    removeLog(folder, id);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is read on from any offset, by any process', () => {
    const { log, id } = written('0123456789abcdefghij', 5);
    log[Symbol.dispose]();
    expect(readLog(folder, id, 6, 5, LIMITS)).toEqual({ bytes: Buffer.from('6789a'), from: 6, end: 20 });
    expect(readLog(folder, id, 20, 5, LIMITS).bytes).toHaveLength(0);
    expect(readLog(folder, id, Number.MAX_SAFE_INTEGER, 5, LIMITS)).toEqual({ bytes: Buffer.alloc(0), from: 20, end: 20 });
  });

  it('never leaves its folder, whatever the id is', () => {
    writeFileSync(join(folder, 'secret.0.log'), 'secret');
    for (const id of ['secret', '../secret', 'job-0000000', 'job-0000000g', `job-00000000/../secret`, '']) {
      expect(readLog(folder, id, 0, 100, LIMITS).bytes).toHaveLength(0);
    }
  });

  it('does not follow a link in the place of a part', () => {
    const { log, id } = written('0123456', 7);
    log[Symbol.dispose]();
    rmSync(join(folder, `${id}.0.log`));
    writeFileSync(join(folder, 'secret'), 'secret');
    symlinkSync(join(folder, 'secret'), join(folder, `${id}.0.log`));
    expect(readLog(folder, id, 0, 100, LIMITS).bytes).toHaveLength(0);
  });

  it('tells that output was lost where it cannot be written', () => {
    const gone = join(folder, 'gone');
    using log = new JobLog(gone, newJobId(), LIMITS);
    log.write(Buffer.from('x'));
    expect(log.failed).toBe(true);
    expect(log.end).toBe(0);
  });
});
