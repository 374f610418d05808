import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { once } from '../../../events/timing.ts';

/** Where systems keep the certificates that they trust: Debian, Fedora, Alpine, SUSE, OpenBSD. */
export const SYSTEM_BUNDLES: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu;

/** The certificates in a file, and nothing else of it: commands may read them, and a private key may be beside them. */
function read(path: string | undefined): string {
  if (path === undefined || path === '') return '';
  try {
    return (readFileSync(path, 'utf8').match(CERTIFICATE) ?? []).map((one) => `${one}\n`).join('');
  } catch {
    // Not on this system.
    return '';
  }
}

/** The certificates that this machine trusts, as PEM: those of the system, else of Node, and those that the user named. */
export const trustedRoots: () => string = once(() => {
  const system = SYSTEM_BUNDLES.map(read).find((text) => text !== '') ?? `${rootCertificates.join('\n')}\n`;
  const named = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'].map((name) => read(process.env[name]));
  return [system, ...new Set(named)].join('');
});

/** What a person names for some programs only, as PEM: commands get these variables of their own where they have no secrets. */
export const namedRoots = (...variables: ReadonlyArray<'NODE_EXTRA_CA_CERTS' | 'REQUESTS_CA_BUNDLE' | 'CURL_CA_BUNDLE'>): string =>
  [...new Set(variables.map((name) => read(process.env[name])))].join('');

/** How the proxy verifies the servers that it connects to. Made once: reading all certificates takes 20 ms. */
export const verifying: () => SecureContext = once(() => createSecureContext({ ca: trustedRoots() }));
