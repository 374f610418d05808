import { BlockList, isIP } from 'node:net';
import { ownNetworks } from './own-networks.ts';

/**
 * Where an address leads. `local`: this machine and the networks it is part of, which only a rule that names the host
 * opens. `never`: what no page is served from, such as the metadata services of clouds.
 */
export type AddressReach = 'public' | 'local' | 'never';

/** Loopback, private, shared and unique-local addresses. */
const LOCAL4 = '10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16'.split(' ');
const LOCAL6 = ['::1/128', 'fc00::/7'];
/** IANA special-purpose registries: this host, link-local (cloud metadata), documentation, multicast, reserved. */
const NEVER4 = [
  ...'0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15'.split(' '),
  ...'198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'.split(' '),
  // Direct delegation of blackhole and relay services: no pages there.
  ...'192.31.196.0/24 192.52.193.0/24 192.175.48.0/24'.split(' '),
  // Azure and Alibaba answer here to every machine of their own; the second lies in the shared range.
  ...'168.63.129.16/32 100.100.100.200/32'.split(' '),
];
/** Global unicast is what remains public; these in it carry an IPv4 address within, are for tests, or are no hosts. */
const NEVER6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', 'fd00:ec2::254/128'];
const GLOBAL6 = '2000::/3';

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

const local4 = blockList(LOCAL4, 'ipv4');
const local6 = blockList(LOCAL6, 'ipv6');
const never4 = blockList(NEVER4, 'ipv4');
const never6 = blockList(NEVER6, 'ipv6');
const global6 = blockList([GLOBAL6], 'ipv6');

/** Where an address leads by the registries alone. */
function registeredReach(address: string): AddressReach {
  switch (isIP(address)) {
    case 4:
      return never4.check(address, 'ipv4') ? 'never' : local4.check(address, 'ipv4') ? 'local' : 'public';
    case 6:
      // A zone names an interface of this machine, and the check would not look at it.
      if (address.includes('%') || never6.check(address, 'ipv6')) return 'never';
      if (local6.check(address, 'ipv6')) return 'local';
      // An allow-list: ::127.0.0.1, ::ffff:…, 64:ff9b::… and fe80::/10 all lie outside of it.
      return global6.check(address, 'ipv6') ? 'public' : 'never';
    default:
      return 'never';
  }
}

/**
 * Where an address leads; what is no address leads nowhere. A public address of this machine's own interfaces, or of
 * their networks, is local.
 * @param own gives those networks; only asked where the registries call an address public
 */
export function addressReach(address: string, own: () => BlockList = ownNetworks): AddressReach {
  const reach = registeredReach(address);
  return reach === 'public' && own().check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') ? 'local' : reach;
}

/** Whether an address leads anywhere but to the public internet; also where it is no address. */
export function isPrivateAddress(address: string): boolean {
  return addressReach(address) !== 'public';
}
