import { BlockList, isIP } from 'node:net';
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

/** The network interfaces of a machine, as `os.networkInterfaces` lists them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * Returns the networks in which this machine has an address, v4 and v6. Read at each check: a VPN or a container can add one
 * at any time, and a public address of this machine reaches local services past any firewall.
 */
export function ownNetworks(interfaces: Interfaces = networkInterfaces()): BlockList {
  const list = new BlockList();
  for (const { address, cidr } of Object.values(interfaces).flatMap((infos) => infos ?? [])) {
    const [host = ''] = address.split('%');
    const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
    const prefix = Number(cidr?.split('/')[1]);
    // Without a valid netmask, only the address itself is added.
    if (Number.isInteger(prefix)) list.addSubnet(host, prefix, family);
    else list.addAddress(host, family);
  }
  return list;
}

/**
 * Where an address leads. `local`: this machine and its networks, which need a rule that names the host.
 * `never`: addresses that serve no pages, such as the metadata services of clouds.
 */
export type AddressReach = 'public' | 'local' | 'never';

/** Loopback, private, shared and unique-local addresses. */
const LOCAL4 = '10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16'.split(' ');
const LOCAL6 = ['::1/128', 'fc00::/7'];
/** IANA special-purpose registries: this host, link-local (cloud metadata), documentation, multicast, reserved. */
const NEVER4 = [
  ...'0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15'.split(' '),
  ...'198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'.split(' '),
  // Direct delegation of blackhole and relay services, which serve no pages.
  ...'192.31.196.0/24 192.52.193.0/24 192.175.48.0/24'.split(' '),
  // Metadata services of Azure and Alibaba for all their machines; the second is in the shared range.
  ...'168.63.129.16/32 100.100.100.200/32'.split(' '),
];
/** Ranges in global unicast that embed an IPv4 address, are for tests, or have no hosts; and a cloud metadata service in fc00::/7. */
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

/** Whether an address always leads to this machine. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** Returns the reach of an address by the registries alone. */
function registeredReach(address: string): AddressReach {
  switch (isIP(address)) {
    case 4:
      return never4.check(address, 'ipv4') ? 'never' : local4.check(address, 'ipv4') ? 'local' : 'public';
    case 6:
      // A zone names an interface of this machine, and the check would ignore it.
      if (address.includes('%') || never6.check(address, 'ipv6')) return 'never';
      if (local6.check(address, 'ipv6')) return 'local';
      // An allow-list: ::127.0.0.1, ::ffff:…, 64:ff9b::… and fe80::/10 are all outside it.
      return global6.check(address, 'ipv6') ? 'public' : 'never';
    default:
      return 'never';
  }
}

/**
 * Returns the reach of an address; `never` for text that is not an address. A public address in this machine's networks is
 * local.
 * @param own returns those networks; called only if the registries list an address as public
 */
export function addressReach(address: string, own: () => BlockList = ownNetworks): AddressReach {
  const reach = registeredReach(address);
  return reach === 'public' && own().check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') ? 'local' : reach;
}

/** Whether an address is not on the public internet; true for text that is not an address. */
export function isPrivateAddress(address: string): boolean {
  return addressReach(address) !== 'public';
}
