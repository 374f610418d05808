import { expect, it } from 'vitest';
import type { HostGuard } from '../policy/host-guard.ts';
import { admitHost } from './admit-host.ts';
import { parseWebAddress } from './web-address.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['93.184.216.34', '2606:2800:220:1::1'],
  'inner.test': ['10.0.0.1'],
  'mixed.test': ['93.184.216.34', '10.0.0.1'],
  'cloud.test': ['93.184.216.34', '169.254.169.254'],
  'empty.test': [],
};
async function admit(url: string, opened: boolean, signal = new AbortController().signal): Promise<readonly string[]> {
  const address = parseWebAddress(url);
  if (typeof address === 'string') throw new Error(address);
  const guard: HostGuard = { refusal: () => undefined, opensLocal: () => opened };
  return await admitHost(address, guard, async (host) => NAMES[host] ?? Promise.reject(new Error('no such name')), signal);
}

it.each<[string, boolean, readonly string[]]>([
  ['https://public.test/', false, NAMES['public.test'] ?? []],
  ['http://93.184.216.34/', false, ['93.184.216.34']],
  ['http://inner.test/', true, ['10.0.0.1']],
  ['http://public.test:8080/', true, NAMES['public.test'] ?? []],
  ['http://[::1]:8080/', true, ['::1']],
])('%s is gone to (opened: %s)', async (url, opened, addresses) => {
  expect(await admit(url, opened)).toEqual(addresses);
});

it.each<[string, boolean, string]>([
  ['http://inner.test/', false, 'denied'],
  ['http://mixed.test/', false, 'denied'],
  ['http://127.0.0.1/', false, 'denied'],
  ['http://[::1]/', false, 'denied'],
  ['http://public.test:22/', false, 'denied'],
  ['http://cloud.test/', true, 'denied'],
  ['http://169.254.169.254/', true, 'denied'],
  ['http://empty.test/', false, 'not_found'],
  ['http://none.test/', false, 'not_found'],
])('%s is refused (opened: %s)', async (url, opened, code) => {
  await expect(admit(url, opened)).rejects.toMatchObject({ code });
});

it('waits for no name once the call has ended', async () => {
  await expect(admit('https://public.test/', false, AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended');
});
