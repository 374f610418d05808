import { expect, it } from 'vitest';
import type { AskedRequest } from '../asked-request.ts';
import type { EdgeSource, GrantedRequests } from './edge-source.ts';
import { LiveHosts } from './live-hosts.ts';

const HOST = 'api.example.com';
const request = (path: string, rest: Partial<AskedRequest> = {}): AskedRequest => ({
  scheme: 'https',
  host: HOST,
  port: 443,
  method: 'POST',
  path,
  ...rest,
});
const whole: GrantedRequests = { isAbout: (host) => host === HOST, isWhole: true, covers: () => true };
const source = (rest: Partial<EdgeSource>): EdgeSource => ({
  exist: () => false,
  secrets: async () => [],
  opensLocal: () => false,
  denied: () => [],
  ...rest,
});

it('what an earlier answer allows for a host opens it, on the ports of the web, without a question', async () => {
  const live = new LiveHosts({}, source({ granted: () => [whole] }));
  expect(await live.allows({ host: HOST, port: 443 }, 'closed')).toBe(true);
  expect([443, 80].map((port) => live.isOpened({ host: HOST, port }))).toEqual([true, false]);
  expect(await live.allows({ host: HOST, port: 8443 }, 'closed')).toBe(false);
  expect(await live.allows({ host: 'other.example.com', port: 443 }, 'closed')).toBe(false);
});

it.each([
  ['an address', { host: '93.184.216.34', port: 443 }, 'closed'],
  ['a name of the local network', { host: 'printer', port: 80 }, 'closed'],
  ['another port', { host: HOST, port: 25 }, 'closed'],
  ['a host that leads to no open address', { host: HOST, port: 443 }, 'no address'],
  ['a host that a rule denies', { host: HOST, port: 443 }, { deniedBy: 'fetch(api.example.com)' }],
] as const)('never asks about %s', async (_, asked, why) => {
  const questions: string[] = [];
  const live = new LiveHosts({ askRequest: async ({ text }) => questions.push(text) > 0 }, source({ asksAbout: () => false }));
  expect(await live.allows(asked, why)).toBe(false);
  expect(questions).toEqual([]);
});

it.each([
  ['a path that servers read in several ways', request('/a/../b')],
  ['an encoded path', request('/a%2fb')],
  ['a long path', request(`/${'a'.repeat(200)}`)],
  ['a method that is none', request('/a', { method: 'x\u001b[2J' })],
])('never asks about %s, which a person could not read', async (_, asked) => {
  const questions: string[] = [];
  const live = new LiveHosts({ askRequest: async ({ text }) => questions.push(text) > 0 }, source({}));
  expect(await live.allowsRequest(asked, { allowedBy: '' })).toBe(false);
  expect(questions).toEqual([]);
});

it('shows a request whole, without its query, and offers a rule where one can name it', async () => {
  const held: unknown[] = [];
  const live = new LiveHosts({ askRequest: async (one) => held.push(one) > 0 }, source({}));
  await live.allowsRequest(request('/a?token=1'), { allowedBy: '' });
  await live.allowsRequest(request('/a', { port: 8443 }), { deniedBy: 'fetch(api.example.com POST /**)', asks: true });
  expect(held).toEqual([
    { text: `POST ${HOST}/a`, rule: `${HOST} POST /a`, askedBy: undefined },
    { text: `POST ${HOST}:8443/a`, rule: undefined, askedBy: 'fetch(api.example.com POST /**)' },
  ]);
});
