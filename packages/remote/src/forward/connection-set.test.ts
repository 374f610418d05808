import { once } from 'node:events';
import { duplexPair, type Duplex } from 'node:stream';
import type { ConnectionOp } from '@synapse/protocol/remote';
import { describe, expect, it } from 'vitest';
import { ConnectionSet } from './connection-set.ts';
import { CONNECTION_BYTES } from './forwarded-connection.ts';

type Change = (op: ConnectionOp) => readonly ConnectionOp[];

/** Two ends with a line between them, which carries nothing before `carry`. */
function line(change: Change = (op) => [op]) {
  const ops: Array<readonly [to: 0 | 1, op: ConnectionOp]> = [];
  const said: ConnectionOp[] = [];
  const send = (to: 0 | 1, op: ConnectionOp): void => {
    said.push(op);
    ops.push(...change(op).map((one) => [to, one] as const));
  };
  const sets = [1, 0].map((to) => new ConnectionSet('t', { say: (op) => send(to === 1 ? 1 : 0, op), ready: () => {} }));
  const [one, other] = sets;
  if (one === undefined || other === undefined) throw new Error('no ends');
  /** Carries all that can be sent, until nothing moves any more. */
  const carry = async (): Promise<void> => {
    for (let idle = 0; idle < 20;) {
      for (const [from, set] of sets.entries()) for (let op = set.next(); op !== undefined; op = set.next()) send(from === 0 ? 1 : 0, op);
      const [now] = ops.splice(0, 1);
      idle = now === undefined ? idle + 1 : 0;
      if (now !== undefined) sets[now[0]]?.take(now[1]);
      else await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const connect = (conn: number) => {
    const ends = [one, other].map((set) => {
      const [inner, program] = duplexPair({ allowHalfOpen: true });
      const state = { reset: false };
      program.on('error', () => {});
      set.add(conn, { stream: inner, reset: () => ((state.reset = true), inner.destroy()) });
      return { program, inner, state };
    });
    const [client, server] = ends;
    if (client === undefined || server === undefined) throw new Error('no programs');
    return { client, server };
  };
  return { one, other, carry, connect, said };
}

const patterned = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 31) % 251));
/** Reads until the end, after which the program can still write: what iterates over a stream destroys it, in Node 22. */
async function read(program: Duplex): Promise<Buffer> {
  const pieces: Buffer[] = [];
  program.on('data', (data: Buffer) => pieces.push(data));
  await once(program, 'end');
  return Buffer.concat(pieces);
}

describe('forwarded connections', () => {
  it('carry bytes both ways, each of which ends on its own', async () => {
    const { one, other, carry, connect } = line();
    const { client, server } = connect(1);
    const [up, down] = [patterned(3 * CONNECTION_BYTES + 7), patterned(1_000_003)];
    client.program.end(up);
    const [atServer, atClient] = [read(server.program), read(client.program)];
    await carry();
    expect((await atServer).equals(up)).toBe(true);
    expect([one.size, other.size]).toEqual([1, 1]);
    server.program.end(down);
    await carry();
    expect((await atClient).equals(down)).toBe(true);
    expect([one.size, other.size, client.state.reset, server.state.reset]).toEqual([0, 0, false, false]);
    expect(one.totals).toEqual({ connections: 1, sent: up.length, received: down.length });
  });

  it('keep no more than their credit for a program that does not read, and let the others go on', async () => {
    const { other, carry, connect } = line();
    const stuck = connect(1);
    stuck.server.program.write(patterned(2_000_000));
    await carry();
    expect(other.totals.sent).toBeLessThanOrEqual(2 * CONNECTION_BYTES);
    const { client, server } = connect(2);
    server.program.end(patterned(500_000));
    const got = read(client.program);
    await carry();
    expect((await got).length).toBe(500_000);
  });

  it('send in turn', async () => {
    const { other, connect } = line();
    for (const conn of [1, 2, 3]) connect(conn).server.program.write(patterned(100_000));
    await new Promise((resolve) => setImmediate(resolve));
    const turns = Array.from({ length: 6 }, () => other.next()).map((op) => (op !== undefined && 'conn' in op ? op.conn : 0));
    expect(turns).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it('break at the other end if a program breaks them', async () => {
    const { one, other, carry, connect } = line();
    const { client, server } = connect(1);
    server.program.write(patterned(10));
    await carry();
    // As a socket does whose program has gone.
    client.inner.destroy();
    await carry();
    expect([server.state.reset, one.size, other.size]).toEqual([true, 0, 0]);
  });

  const changes: ReadonlyArray<readonly [string, (pieces: () => number) => Change]> = [
    ['left out', (pieces) => (op) => (op.op === 'data' && pieces() === 2 ? [] : [op])],
    ['doubled', (pieces) => (op) => (op.op === 'data' && pieces() === 2 ? [op, op] : [op])],
    ['cut off by an early end', (pieces) => (op) => (op.op === 'data' && pieces() > 2 ? [{ op: 'end', token: 't', conn: 1, at: 99 }] : [op])],
  ];
  it.each(changes)('break if a piece is %s on the way', async (_, change) => {
    let count = 0;
    const { one, other, carry, connect } = line(change(() => (count += 1)));
    const { client, server } = connect(1);
    const given = patterned(100_000);
    server.program.end(given);
    const pieces: Buffer[] = [];
    client.program.on('data', (data: Buffer) => pieces.push(data));
    await carry();
    const got = Buffer.concat(pieces);
    expect([client.state.reset, one.size, other.size]).toEqual([true, 0, 0]);
    // What was delivered is a beginning of what was sent, and the connection broke.
    expect(got.equals(given.subarray(0, got.length))).toBe(true);
    expect(got.length).toBeLessThan(given.length);
  });

  it('break if more comes than the credit allows', async () => {
    const { one, connect } = line();
    const { client } = connect(1);
    const data = Buffer.alloc(16_384).toString('base64');
    for (let at = 0; at <= CONNECTION_BYTES; at += 16_384) one.take({ op: 'data', token: 't', conn: 1, at, data });
    expect(client.state.reset).toBe(true);
  });
});
