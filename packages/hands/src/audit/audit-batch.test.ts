import { SynapseError } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { AuditBatch } from './audit-batch.ts';
import { MAX_RECORDS } from './audit-head.ts';
import type { MakeRecord } from './audit-log.ts';

const record: MakeRecord = (sequence) => ({ type: 'notice', notice: 'foreign', detail: String(sequence) });

/** A batch, and the numbers of records of its writes. */
function counted(append: (records: readonly MakeRecord[]) => void = () => {}): { batch: AuditBatch; writes: number[] } {
  const writes: number[] = [];
  const batch = new AuditBatch((records) => {
    writes.push(records.length);
    append(records);
  });
  return { batch, writes };
}

it('writes the records of a turn together at its end', async () => {
  const { batch, writes } = counted();
  const ended = Array.from({ length: 10 }, () => batch.write([record, record]));
  expect(writes).toEqual([]);
  await expect(Promise.all(ended)).resolves.toEqual(Array.from({ length: 10 }, () => undefined));
  expect(writes).toEqual([20]);
  await batch.write([record]);
  expect(writes).toEqual([20, 1]);
});

it('splits what is more than one step, but never the records of one call', async () => {
  const { batch, writes } = counted();
  for (let call = 0; call < MAX_RECORDS; call += 1) batch.add([record, record, record], () => {});
  expect(batch.writeNow([record])).toBeUndefined();
  expect(writes.every((count) => count <= MAX_RECORDS)).toBe(true);
  expect(writes.slice(0, -1).every((count) => count % 3 === 0)).toBe(true);
  expect(writes.reduce((sum, count) => sum + count, 0)).toBe(3 * MAX_RECORDS + 1);
});

it('tells each call of a failed write, and none of another one', async () => {
  let works = true;
  const { batch } = counted(() => {
    if (!works) throw new SynapseError('unavailable', 'full');
  });
  await expect(batch.write([record])).resolves.toBeUndefined();
  works = false;
  const failed = [batch.write([record]), batch.write([record])];
  await expect(Promise.all(failed)).resolves.toMatchObject([{ message: 'full' }, { message: 'full' }]);
  works = true;
  await expect(batch.write([record])).resolves.toBeUndefined();
});

it('writes what waits when it is closed', async () => {
  const { batch, writes } = counted();
  const ended = [batch.write([record]), batch.write([record])];
  batch[Symbol.dispose]();
  expect(writes).toEqual([2]);
  await Promise.all(ended);
});
