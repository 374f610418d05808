import { expect, it } from 'vitest';
import { listeningPorts } from './job-ports.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0000000000000000 100 0 0 10 0
   2: 0100007F:0BB8 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 20 4 30 10 -1
`;
const TABLE_6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:0BB9 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 99 1 0
`;

it('finds the listening ports in the tables of the kernel', () => {
  expect([...listeningPorts(TABLE)]).toEqual([
    ['4711', 3000],
    ['4712', 8080],
  ]);
  expect([...listeningPorts(TABLE_6)]).toEqual([['99', 3001]]);
  for (const text of ['', 'x', 'a\n b c d\n\n']) expect(listeningPorts(text).size).toBe(0);
});
