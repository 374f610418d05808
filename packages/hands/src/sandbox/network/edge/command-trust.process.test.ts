import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Secret } from '../../../secrets/secret.ts';
import { SandboxBench, TEST_USERS } from '../../../testing/sandbox-bench.ts';
import { findBubblewrap } from '../../find-bubblewrap.ts';
import { CommandAuthority } from './authority.ts';

const [USER = 'user'] = TEST_USERS;
const [HOST, OTHER] = ['api.example.com', 'other.example.com'];
const secret: Secret = {
  name: 'TOKEN',
  also: [],
  texts: {},
  places: [{ scheme: 'https', host: HOST, port: 443, as: { kind: 'bearer' } }],
  value: 'correct-horse-battery',
  added: '',
};

const pem = (kind: string, text: string): string => `-----BEGIN ${kind}-----\n${text}\n-----END ${kind}-----\n`;

it.skipIf((await findBubblewrap()) === undefined || !process.features.typescript).each([
  ['NODE_EXTRA_CA_CERTS', (url: string) => `node -e 'fetch("${url}").then((r) => r.text()).then(console.log, (e) => console.log(e.cause.code))'`],
  ['CURL_CA_BUNDLE', (url: string) => `curl -sS ${url}`],
])('what a person trusts by %s is trusted beside a secret, too', async (variable, command) => {
  // As of a company, in front of all servers.
  const company = new CommandAuthority();
  const file = join(mkdtempSync(join(tmpdir(), 'synapse-trust-')), 'company.pem');
  // A file that also has what no command may see.
  writeFileSync(file, `${pem('PRIVATE KEY', 'AAAA')}${company.certificate}`, { mode: 0o644 });
  vi.stubEnv(variable, file);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = createServer({ SNICallback: (name, done) => done(null, company.contextFor(name)) }, (request, response) =>
    response.end(`${request.headers.host} served`),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await using bench = await SandboxBench.open(USER, {
    policy: { network: { domains: [HOST, OTHER] } },
    network: {
      resolve: async () => ['93.184.216.34'],
      dial: () => connect((server.address() as AddressInfo).port, '127.0.0.1'),
      verifying: () => createSecureContext({ ca: company.certificate }),
    },
    edge: { exist: () => true, secrets: async () => [secret], opensLocal: () => false, denied: () => [] },
  });
  const { stdout } = await bench.inside(`${command(`https://${HOST}/`)}; ${command(`https://${OTHER}/`)}; grep -c PRIVATE "$${variable}"`);
  expect(stdout).toMatch(/^api\.example\.com served\s*other\.example\.com served\s*0\s*$/u);
});
