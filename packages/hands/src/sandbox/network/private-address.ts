import { BlockList, isIP } from 'node:net';

/** IANA special-purpose registries: this host, private, shared, link-local (cloud metadata), documentation, multicast, reserved. */
const IPV4 = [
  ...'0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24'.split(' '),
  ...'192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'.split(' '),
  // Azure answers here to every machine of its own.
  '168.63.129.16/32',
];
/** Global unicast is what remains public; these in it carry an IPv4 address within, or are for tests. */
const IPV6_NOT_PUBLIC = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const IPV6_GLOBAL = '2000::/3';

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

const private4 = blockList(IPV4, 'ipv4');
const private6 = blockList(IPV6_NOT_PUBLIC, 'ipv6');
const global6 = blockList([IPV6_GLOBAL], 'ipv6');

/** Whether an address leads anywhere but to the public internet; also where it is no address. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return private4.check(address, 'ipv4');
  // An allow-list: ::1, ::127.0.0.1, ::ffff:…, 64:ff9b::…, fc00::/7 and fe80::/10 all lie outside of it.
  return family !== 6 || !global6.check(address, 'ipv6') || private6.check(address, 'ipv6');
}
