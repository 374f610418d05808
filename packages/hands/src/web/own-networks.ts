import { BlockList, isIP } from 'node:net';
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

/** The network interfaces of a machine, as `os.networkInterfaces` lists them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * The networks that this machine has an address in, v4 and v6. Read anew at each check: a VPN or a container adds one at
 * any time, and a public address of this machine reaches its own services past any firewall.
 */
export function ownNetworks(interfaces: Interfaces = networkInterfaces()): BlockList {
  const list = new BlockList();
  for (const { address, cidr } of Object.values(interfaces).flatMap((infos) => infos ?? [])) {
    const [host = ''] = address.split('%');
    const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
    const prefix = Number(cidr?.split('/')[1]);
    // Without a netmask that makes sense, its own address remains.
    if (Number.isInteger(prefix)) list.addSubnet(host, prefix, family);
    else list.addAddress(host, family);
  }
  return list;
}
