import { createDevice, deviceId, fingerprint } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { namedDevice } from './named-device.ts';

const [laptop, other, phone] = await Promise.all(
  ['laptop', 'laptop', 'phone'].map(async (name) => ({ name, identity: (await createDevice()).identity })),
);
if (laptop === undefined || other === undefined || phone === undefined) throw new Error('no devices');
const devices = [laptop, other, phone, { ...phone, name: 'phone, in another project' }];
const named = (given: string): string => namedDevice(devices, given, 'paired device', 'synapse pair list');

it('a name means one device, in all of its projects', () => {
  expect(named('phone')).toBe(phone.identity);
});

it('the beginning of a fingerprint means one, in any case and with spaces', () => {
  expect(named(fingerprint(other.identity))).toBe(other.identity);
  expect(named(deviceId(laptop.identity).slice(0, 12))).toBe(laptop.identity);
});

it('a name of two devices is refused with their fingerprints', () => {
  expect(() => named('laptop')).toThrow(
    expect.objectContaining({
      code: 'invalid_arguments',
      message: '2 are called laptop.',
      hint: `Give the beginning of a fingerprint: ${fingerprint(laptop.identity)}; ${fingerprint(other.identity)}`,
    }),
  );
});

it.each(['desk', 'abc', ''])('%j means none', (given) => {
  expect(() => named(given)).toThrow(expect.objectContaining({ code: 'not_found', hint: 'List them: synapse pair list' }));
});
