import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { addressReach, ownNetworks, type Interfaces } from './address-reach.ts';

describe('where an address leads', () => {
  it.each('127.0.0.1 127.255.255.254 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 ::1 fc00::1 fdff::1'.split(' '))(
    '%s is local',
    (address) => expect(addressReach(address)).toBe('local'),
  );

  it.each([
    ...'169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192 0.0.0.0 0.1.2.3 192.0.2.1 198.18.0.1 198.51.100.1'.split(' '),
    ...'203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 192.88.99.1'.split(' '),
    ...':: ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2002:7f00:1:: 2001::1 2001:db8::1'.split(
      ' ',
    ),
    ...'fd00:ec2::254 fe80::1 fe80::1%eth0 2606:4700::1111%eth0 fec0::1 ff02::1 3fff::1 5f00::1 4000::1 2620:4f:8000::1'.split(' '),
    ...'x localhost 2130706433 0x7f.1 0177.0.0.1 127.1 1.1.1.1. [::1] 1.1.1.1%0'.split(' '),
    '',
  ])('%j is never allowed', (address) => expect(addressReach(address)).toBe('never'));

  it.each('1.1.1.1 93.184.216.34 172.32.0.1 100.128.0.1 11.0.0.0 2606:4700::1111 2a00:1450:4001:81b::200e'.split(' '))('%s is public', (address) =>
    expect(addressReach(address)).toBe('public'),
  );

  it('calls nothing public that another judge of addresses does not', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      // The prefix of global unicast, within which exceptions hide.
      fc.uint8Array({ minLength: 14, maxLength: 14 }).map((rest) => Uint8Array.of(0x20, 0x01, ...rest)),
      fc.uint8Array({ minLength: 12, maxLength: 12 }).map((rest) => Uint8Array.of(0x00, 0x64, 0xff, 0x9b, ...rest)),
      fc.uint8Array({ minLength: 4, maxLength: 4 }).map((rest) => Uint8Array.of(...new Uint8Array(10), 0xff, 0xff, ...rest)),
    );
    const agreed = fc.check(
      fc.property(bytes, (raw) => {
        const parsed = ipaddr.fromByteArray([...raw]);
        return addressReach(parsed.toString()) !== 'public' || parsed.range() === 'unicast';
      }),
      { numRuns: 20_000 },
    );
    expect(agreed.counterexample).toBeNull();
  });
});

/** A machine with its own public addresses, such as a server in a data center. */
const INTERFACES = {
  eth0: [
    { family: 'IPv4', address: '93.184.216.34', netmask: '255.255.255.0', cidr: '93.184.216.34/24', mac: '', internal: false },
    {
      family: 'IPv6',
      address: '2a00:1450:4001::5',
      netmask: 'ffff:ffff:ffff:ffff::',
      cidr: '2a00:1450:4001::5/64',
      mac: '',
      internal: false,
      scopeid: 0,
    },
  ],
  tun0: [{ family: 'IPv4', address: '11.5.0.9', netmask: '255.255.255.255', cidr: '11.5.0.9/32', mac: '', internal: false }],
  odd0: [{ family: 'IPv4', address: '12.0.0.7', netmask: '255.0.255.0', cidr: null, mac: '', internal: false }],
  gone0: undefined,
} satisfies Interfaces;

describe('the networks of this machine', () => {
  const own = () => ownNetworks(INTERFACES);

  it.each([
    ...'93.184.216.34 93.184.216.1 93.184.216.255 11.5.0.9 12.0.0.7'.split(' '),
    ...'2a00:1450:4001::5 2a00:1450:4001::ffff 2a00:1450:4001:0:1:2:3:4'.split(' '),
  ])('%s is local, though public elsewhere', (address) => {
    expect(addressReach(address, own)).toBe('local');
    // The control: without these interfaces it is public.
    expect(addressReach(address, () => ownNetworks({}))).toBe('public');
  });

  it.each(['93.184.217.1', '11.5.0.8', '12.0.0.8', '2a00:1450:4001:1::5', '1.1.1.1', '2606:4700::1111'])('%s stays public', (address) =>
    expect(addressReach(address, own)).toBe('public'),
  );

  it.each([
    ...'::ffff:93.184.216.34 ::ffff:5db8:d822 64:ff9b::5db8:d822 64:ff9b::93.184.216.34 2002:5db8:d822:: ::93.184.216.34'.split(' '),
    ...'2a00:1450:4001::5%eth0 169.254.169.254'.split(' '),
  ])('%s stays closed, however it is written', (address) => expect(addressReach(address, own)).toBe('never'));

  it('are those of now', async () => {
    const { networkInterfaces } = await import('node:os');
    const addresses = Object.values(networkInterfaces()).flatMap((infos) => (infos ?? []).map(({ address }) => address));
    expect(addresses.filter((address) => addressReach(address) === 'public')).toEqual([]);
  });
});
