import type { IncomingMessage } from 'node:http';

/** Headers of one connection, and those that only a proxy reads. */
const HOP_HEADERS: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade http2-settings expect host'.split(
    ' ',
  ),
);

/**
 * No maximum: a head is bounded in bytes. Some versions of Node leave out what is above 1,000, also a length, without which a body would be
 * a second request that was not judged.
 */
export const ALL_HEADERS = 0;

const NONE: ReadonlySet<string> = new Set();

/** The headers of a message that go on to the other side, each that came several times as several. @param without others that do not */
export function keptHeaders({ headersDistinct }: IncomingMessage, without = NONE): Array<readonly [name: string, value: string | string[]]> {
  return Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    HOP_HEADERS.has(name) || without.has(name) ? [] : [[name, values.length === 1 ? (values[0] ?? '') : values] as const],
  );
}
