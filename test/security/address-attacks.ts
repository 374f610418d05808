import { networkInterfaces } from 'node:os';
import type { Attack } from './attack.ts';

const page = (id: string, url: string, says?: string): Attack => ({
  id,
  tool: 'fetch_url',
  input: () => ({ url }),
  verdict: 'deny',
  ...(says === undefined ? {} : { says }),
});

/** H: addresses that must not be fetched, even if every host is allowed. */
export const ADDRESSES: readonly Attack[] = [
  ...['http://127.0.0.1/', 'http://localhost/', 'http://LOCALHOST./', 'http://foo.localhost/'].map((url, index) => page(`H01-${index}`, url)),
  ...['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/', 'http://0/'].map((url, index) => page(`H02-${index}`, url)),
  ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'].map((url, index) => page(`H04-${index}`, url)),
  ...['http://[::127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/'].map((url, index) => page(`H05-${index}`, url)),
  ...['http:127.0.0.1', 'http:/127.0.0.1', 'http://\t127.0.0.1/'].map((url, index) => page(`H07-${index}`, url, 'url')),
  page('H08', 'http://169.254.169.254/latest/meta-data/', 'metadata'),
  ...['http://[fd00:ec2::254]/', 'http://100.100.100.200/', 'http://168.63.129.16/', 'http://192.0.0.192/'].map((url, index) =>
    page(`H08-${index}`, url),
  ),
  page('H13', 'file:///etc/passwd', 'url'),
  ...['http://user:pass@1.1.1.1/', 'http://allowed.com@127.0.0.1/', 'http://127.0.0.1\\@allowed.com'].map((url, index) =>
    page(`H16-${index}`, url, 'url'),
  ),
  ...['22', '25', '6379', '11211', '2375'].map((port) => page(`H19-${port}`, `http://1.1.1.1:${port}/`, 'Port')),
  // All addresses of this machine, including public ones; address-reach.test.ts has the controls.
  ...Object.values(networkInterfaces())
    .flatMap((infos) => infos ?? [])
    .filter(({ address, family }) => family === 'IPv4' || !address.startsWith('fe80:'))
    .map(({ address, family }, index) => page(`H21-${index}`, `http://${family === 'IPv6' ? `[${address}]` : address}/`, 'leads to')),
  page('H20', 'http://1.1.1.1/\r\nHost: 127.0.0.1', 'url'),
];
