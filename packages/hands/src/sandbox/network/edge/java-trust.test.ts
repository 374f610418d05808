import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { CommandAuthority } from './authority.ts';
import { javaTrustStore } from './java-trust.ts';

it('has each certificate of the bundle, and the checksum that Java verifies', () => {
  const certificates = [new CommandAuthority().certificate, new CommandAuthority().certificate];
  const store = javaTrustStore(`# a comment\n${certificates.join('\n')}`);
  expect([store.readUInt32BE(0), store.readUInt32BE(4), store.readUInt32BE(8)]).toEqual([0xfeedfeed, 2, 2]);
  for (const certificate of certificates) {
    const der = Buffer.from(certificate.replaceAll(/-----[^-]+-----|\s/gu, ''), 'base64');
    expect(store.includes(der)).toBe(true);
  }
  const content = store.subarray(0, -20);
  const password = Buffer.from('\0c\0h\0a\0n\0g\0e\0i\0t', 'latin1');
  const checksum = createHash('sha1').update(password).update('Mighty Aphrodite').update(content).digest();
  expect(store.subarray(-20)).toEqual(checksum);
});
