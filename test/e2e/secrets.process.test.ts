import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makePlace, runCli, runCliProcess, type Place } from './run-cli.ts';
import { onTerminal } from './talk.ts';

const VALUE = 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567';

/** All files of the state folder that contain the value. */
function holders({ environment }: Place): string[] {
  const folder = environment['XDG_STATE_HOME'] ?? '';
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => readFileSync(path, 'latin1').includes(VALUE));
}

it('adds, lists and removes a secret, whose value is in one file of mode 0600', async () => {
  const place = await makePlace();
  const added = await runCliProcess(place, ['secrets', 'add', 'github'], `${VALUE}\n`);
  expect(added).toMatchObject({ code: 0, out: '' });
  expect(added.err).toContain('GITHUB_TOKEN is stored, for api.github.com, github.com, uploads.github.com.');
  const [file = '', ...others] = holders(place);
  expect(others).toEqual([]);
  expect(file).toMatch(/\/synapse\/secrets\.json$/u);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const listed = await runCli(place, ['secrets']);
  expect(listed.out).toMatch(/^GITHUB_TOKEN +api\.github\.com +bearer/mu);
  expect(JSON.parse((await runCli(place, ['secrets', 'list', '--json'])).out)).toMatchObject({
    secrets: [{ name: 'GITHUB_TOKEN', also: ['GH_TOKEN'] }],
  });
  const again = await runCliProcess(place, ['secrets', 'add', 'github', '--json'], VALUE);
  expect(JSON.parse(again.out)).toMatchObject({ replaced: true, name: 'GITHUB_TOKEN' });
  for (const { out, err } of [added, listed, again]) expect(out + err).not.toContain(VALUE);

  expect((await runCli(place, ['secrets', 'remove', 'github'])).code).toBe(0);
  expect(holders(place)).toEqual([]);
  const gone = await runCli(place, ['secrets', 'remove', 'GITHUB_TOKEN']);
  expect(gone.code).toBe(5);
  expect(gone.err).toContain('Secret not found: GITHUB_TOKEN');
});

it('says which of two secrets for one server is added to requests', async () => {
  const place = await makePlace();
  const add = async (...words: string[]): Promise<string> => (await runCliProcess(place, ['secrets', 'add', ...words], `${VALUE}\n`)).err;
  expect(await add('B_KEY', '--host', 'a.example.com')).not.toContain('names none');
  expect(await add('C_KEY', '--host', 'a.example.com', '--as', 'header X-Key')).not.toContain('names none');
  expect(await add('D_KEY', '--host', 'a.example.com:8443')).not.toContain('names none');
  const [first, last] = [
    await add('A_KEY', '--host', 'a.example.com', '--as', 'basic me'),
    await add('E_KEY', '--host', 'b.example.com,a.example.com'),
  ];
  expect(first).toContain('a.example.com gets A_KEY where a command names none; $B_KEY only where a command sends it itself.\n');
  expect(last).toContain('a.example.com gets A_KEY where a command names none; $B_KEY, $E_KEY only where a command sends it itself.\n');
  expect(last).not.toContain('b.example.com gets');
});

it('says of which secret the id of a key is', async () => {
  const place = await makePlace();
  const add = async (name: string, id: string): Promise<string> =>
    (await runCliProcess(place, ['secrets', 'add', name, '--as', `aws ${id}`, '--host', 's3.us-east-1.amazonaws.com'], `${VALUE}\n`)).err;
  expect(await add('PROD_KEY', 'AKIAPROD000000000000')).not.toContain('is that of');
  expect(await add('PROD_KEY', 'AKIAPROD000000000001')).not.toContain('is that of');
  expect(await add('DEV_KEY', 'AKIADEV0000000000000')).toContain(
    'to servers of several of DEV_KEY, PROD_KEY, $AWS_ACCESS_KEY_ID is that of PROD_KEY. Open it to those of one.\n',
  );
});

it('reads a value from a variable and from a command', async () => {
  const place = await makePlace();
  const withVariable = { ...place, environment: { ...place.environment, MINE: VALUE } };
  expect(await runCliProcess(withVariable, ['secrets', 'add', 'A_KEY', '--host', 'a.example.com', '--from-env', 'MINE'])).toMatchObject({ code: 0 });
  expect(await runCliProcess(place, ['secrets', 'add', 'B_KEY', '--host', 'b.example.com', '--from-command', `printf %s ${VALUE}`])).toMatchObject({
    code: 0,
  });
  const { secrets } = JSON.parse(readFileSync(holders(place)[0] ?? '', 'utf8')) as { secrets: Array<{ name: string; value: string }> };
  expect(secrets.map(({ name, value }) => [name, value])).toEqual([
    ['A_KEY', VALUE],
    ['B_KEY', VALUE],
  ]);
});

it('loses none of those that several processes add at once', async () => {
  const place = await makePlace();
  const names = ['A_KEY', 'B_KEY', 'C_KEY', 'D_KEY', 'E_KEY', 'F_KEY'];
  const added = await Promise.all(
    names.map(async (name) => await runCliProcess(place, ['secrets', 'add', name, '--host', 'a.example.com'], `value-of-${name}`)),
  );
  expect(added.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { secrets } = JSON.parse((await runCli(place, ['secrets', '--json'])).out) as { secrets: Array<{ name: string }> };
  expect(secrets.map(({ name }) => name)).toEqual(names);
});

it.each<readonly [words: string[], stdin: string, message: string]>([
  [['A_KEY'], VALUE, 'needs the host'],
  [['gihtub'], VALUE, 'Did you mean github?'],
  [['A-KEY', '--host', 'a.example.com'], VALUE, 'is no name for a secret'],
  [['A_KEY', VALUE, '--host', 'a.example.com'], '', 'Too many arguments'],
  [['A_KEY', '--host', 'http://a.example.com'], VALUE, 'without encryption'],
  [['A_KEY', '--host', '*.example.com'], VALUE, 'is no name of a host'],
  [['A_KEY', '--host', 'a.example.com', '--as', 'cookie'], VALUE, '--as does not know'],
  [['A_KEY', '--host', 'a.example.com'], 'two\nlines', 'line breaks'],
  [['A_KEY', '--host', 'a.example.com'], '', 'No secret was given'],
  [['A_KEY', '--host', 'a.example.com', '--from-env', 'NOT_SET'], '', 'Variable not found: NOT_SET'],
  [['A_KEY', '--host', 'a.example.com', '--from-command', 'exit 3'], '', 'failed'],
  [['A_KEY', '--host', 'a.example.com', '--store', 'cloud'], VALUE, 'file or keychain'],
  // Tests have no session, whether or not a program for its keychain is installed.
  ...(process.platform === 'linux'
    ? ([[['A_KEY', '--host', 'a.example.com', '--store', 'keychain'], VALUE, 'Secret Service']] satisfies Array<[string[], string, string]>)
    : []),
])('refuses %j', async (words, stdin, message) => {
  const place = await makePlace();
  const { code, err } = await runCliProcess(place, ['secrets', 'add', ...words], stdin);
  expect(err).toContain(message);
  expect(code).not.toBe(0);
  expect(holders(place)).toEqual([]);
});

it('asks at a terminal without showing what is typed', async () => {
  const place = await makePlace();
  const steps = [['not shown', `${VALUE}x\u007F\r`]] as const;
  const { screen, code } = await onTerminal(place, ['secrets', 'add', 'A_KEY', '--host', 'a.example.com'], steps);
  expect(code).toBe(0);
  expect(screen).toContain('A_KEY is stored');
  expect(screen).not.toContain(VALUE.slice(0, 8));
  expect(holders(place)).toHaveLength(1);
});

it('tests a secret at its server', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(request.headers.authorization === `Bearer ${VALUE}` ? 200 : 401).end(request.headers.authorization);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  const place = await makePlace();
  const host = `http://127.0.0.1:${Object(server.address()).port}`;
  await runCliProcess(place, ['secrets', 'add', 'GOOD_KEY', '--host', host], VALUE);
  await runCliProcess(place, ['secrets', 'add', 'WRONG_KEY', '--host', host], 'some-other-value');
  const good = await runCliProcess(place, ['secrets', 'test', 'GOOD_KEY', '--path', '/me']);
  expect(good).toMatchObject({ code: 0 });
  expect(good.out).toMatch(/\/me +200 +accepted/u);
  expect(seen).toEqual([`GET /me Bearer ${VALUE}`]);
  const wrong = await runCliProcess(place, ['secrets', 'test', 'WRONG_KEY', '--json']);
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.out)).toMatchObject({ trials: [{ status: 401, accepted: 'no' }] });
  expect(good.out + good.err + wrong.out + wrong.err).not.toContain(VALUE);
  server.closeAllConnections();
  server.close();
});

it('tests a secret at a server that this machine trusts, and sends nothing to another one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-certificate-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const fresh = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  execFileSync('openssl', [...fresh, '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const seen: string[] = [];
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    seen.push(request.headers.authorization ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = await makePlace();
  await runCliProcess(place, ['secrets', 'add', 'A_KEY', '--host', `localhost:${Object(server.address()).port}`], VALUE);
  const untrusted = await runCliProcess(place, ['secrets', 'test', 'A_KEY']);
  expect(untrusted.err).toMatch(/The certificate of localhost:\d+ is not valid for this machine \(\w+\)/u);
  expect(seen).toEqual([]);
  const trusting = { ...place, environment: { ...place.environment, SSL_CERT_FILE: certificate } };
  expect(await runCliProcess(trusting, ['secrets', 'test', 'A_KEY'])).toMatchObject({ code: 0 });
  expect(seen).toEqual([`Bearer ${VALUE}`]);
});
