import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { CommandAuthority } from './authority.ts';

/** The certificate that a server of the authority shows, as PEM. */
async function shown(authority: CommandAuthority, host: string, ca = authority.certificate): Promise<string> {
  const server = createServer({ SNICallback: (_, done) => done(null, authority.contextFor(host)) });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      const client = connect({ port, host: '127.0.0.1', servername: host, ca }, () => {
        resolve(client.getPeerX509Certificate()?.toString() ?? '');
        client.destroy();
      });
      client.on('error', reject);
    });
  } finally {
    server.close();
  }
}

describe('the authority of a command', () => {
  it('is an authority that signs for hosts, in the strictest reading', async () => {
    const authority = new CommandAuthority();
    const own = new X509Certificate(authority.certificate);
    expect(own.ca).toBe(true);
    expect(own.verify(own.publicKey)).toBe(true);
    const leaf = await shown(authority, 'api.example.com');
    const certificate = new X509Certificate(leaf);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkHost('api.example.com')).toBe('api.example.com');
    expect(certificate.checkHost('other.example.com')).toBeUndefined();
    expect(certificate.verify(own.publicKey)).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), 'synapse-authority-'));
    writeFileSync(join(folder, 'ca.pem'), authority.certificate);
    writeFileSync(join(folder, 'leaf.pem'), leaf);
    const words = [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-verify_hostname',
      'api.example.com',
      '-CAfile',
      join(folder, 'ca.pem'),
      join(folder, 'leaf.pem'),
    ];
    expect(execFileSync('openssl', words, { encoding: 'utf8' })).toContain('OK');
  });

  it('is trusted by no other command', async () => {
    await expect(shown(new CommandAuthority(), 'api.example.com', new CommandAuthority().certificate)).rejects.toThrow(/certificate|verify/u);
  });

  it('keeps the certificate of a host', () => {
    const authority = new CommandAuthority();
    expect(authority.contextFor('a.example.com')).toBe(authority.contextFor('a.example.com'));
    expect(authority.contextFor('a.example.com')).not.toBe(authority.contextFor('b.example.com'));
  });

  it('names an address', () => {
    const authority = new CommandAuthority();
    expect(authority.contextFor('127.0.0.1')).toBeDefined();
  });
});
