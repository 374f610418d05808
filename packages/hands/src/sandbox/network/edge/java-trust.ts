import { createHash } from 'node:crypto';

/** Magic number, version and tag of a trusted certificate in a JKS file (sun.security.provider.JavaKeyStore). */
const MAGIC = 0xfeedfeed;
const VERSION = 2;
const TRUSTED = 2;
/** Java programs need no password to read it; the checksum is made with the usual one. */
const PASSWORD = 'changeit';

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

/** The certificates of a PEM file, as DER. */
function certificatesIn(pem: string): Buffer[] {
  return Array.from(pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/gu), ([, body = '']) => Buffer.from(body, 'base64'));
}

/** Writes certificates as a trust store of Java, which reads no PEM. */
export function javaTrustStore(pem: string): Buffer {
  const certificates = certificatesIn(pem);
  const entries = certificates.flatMap((der, index) => [
    number(TRUSTED),
    text(`ca${index}`),
    Buffer.alloc(8),
    text('X.509'),
    number(der.length),
    der,
  ]);
  const content = Buffer.concat([number(MAGIC), number(VERSION), number(certificates.length), ...entries]);
  const password = Buffer.from(PASSWORD, 'utf16le').swap16();
  const checksum = createHash('sha1').update(password).update('Mighty Aphrodite').update(content).digest();
  return Buffer.concat([content, checksum]);
}
