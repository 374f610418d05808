import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { bits, element, identifier, integer, octets, sequence, setOf, time, utf8, yes } from './der.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Clocks in a sandbox are those of the machine; programs may compare with files of another one. */
const BEFORE_MS = DAY_MS;
/** Longer than any job runs. It ends with its key, which only this process has. */
const VALID_MS = 365 * DAY_MS;
/** How long a certificate of a host is used before a new one is made; browsers refuse more than 398 days. */
const RENEW_MS = 30 * DAY_MS;

const ECDSA_SHA256 = (): Buffer => sequence(identifier('1.2.840.10045.4.3.2'));
const extension = (id: string, value: Buffer, critical = false): Buffer => sequence(identifier(id), ...(critical ? [yes()] : []), octets(value));
const nameOf = (text: string): Buffer => sequence(setOf(sequence(identifier('2.5.4.3'), utf8(text))));
const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}/gu, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`;

/** A key with the parts of it that certificates contain. */
interface Key {
  readonly secret: KeyObject;
  readonly info: Buffer;
  readonly id: Buffer;
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const info = publicKey.export({ type: 'spki', format: 'der' });
  return { secret: privateKey, info, id: createHash('sha1').update(info).digest() };
}

interface Content {
  readonly subject: string;
  readonly key: Key;
  readonly extensions: readonly Buffer[];
}

function certificate({ subject, key, extensions }: Content, issuer: { readonly name: string; readonly key: Key }): string {
  const now = Date.now();
  const body = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    ECDSA_SHA256(),
    nameOf(issuer.name),
    sequence(time(new Date(now - BEFORE_MS)), time(new Date(now + VALID_MS))),
    nameOf(subject),
    key.info,
    element(0xa3, sequence(...extensions, extension('2.5.29.14', octets(key.id)), extension('2.5.29.35', sequence(element(0x80, issuer.key.id))))),
  );
  return pem(sequence(body, ECDSA_SHA256(), bits(sign('sha256', body, issuer.key.secret))));
}

/** The name of a host in a certificate. */
const alternative = (host: string): Buffer =>
  isIP(host) === 4 ? element(0x87, Buffer.from(host.split('.').map(Number))) : element(0x82, Buffer.from(host, 'latin1'));

/**
 * The authority of one command, which signs the certificates of the hosts whose TLS the proxy ends. Only that command trusts it. Its key
 * is only in the memory of this process.
 */
export class CommandAuthority {
  readonly #name = `Synapse, for one command (${randomBytes(4).toString('hex')})`;
  readonly #key = newKey();
  /** The key of all hosts: who has one has this process. */
  readonly #hostKey = newKey();
  readonly #contexts = new Map<string, { readonly context: SecureContext; readonly until: number }>();
  /** For the command to trust. */
  readonly certificate: string;

  constructor() {
    const constraints = extension('2.5.29.19', sequence(yes(), integer(Buffer.from([0]))), true);
    // keyCertSign
    const usage = extension('2.5.29.15', bits(Buffer.from([0x04]), 2), true);
    const content = { subject: this.#name, key: this.#key, extensions: [constraints, usage] };
    this.certificate = certificate(content, { name: this.#name, key: this.#key });
  }

  /** What a TLS server needs to be a host. */
  contextFor(host: string): SecureContext {
    const known = this.#contexts.get(host);
    if (known !== undefined && known.until > Date.now()) return known.context;
    const extensions = [
      extension('2.5.29.19', sequence(), true),
      // digitalSignature
      extension('2.5.29.15', bits(Buffer.from([0x80]), 7), true),
      extension('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.1'))),
      extension('2.5.29.17', sequence(alternative(host))),
    ];
    const cert = certificate({ subject: host.slice(0, 64), key: this.#hostKey, extensions }, { name: this.#name, key: this.#key });
    const key = this.#hostKey.secret.export({ type: 'pkcs8', format: 'pem' });
    const context = createSecureContext({ key, cert, minVersion: 'TLSv1.2' });
    this.#contexts.set(host, { context, until: Date.now() + RENEW_MS });
    return context;
  }
}
