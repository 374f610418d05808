import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { describeArguments } from './describe-arguments.ts';
import { learningRedactor, memoize, REDACTED, redactor, secretValues } from './redact.ts';
import { secretForms } from '../secrets/secret-forms.ts';

const redact = redactor(secretValues({ DEPLOY_TOKEN: 'hunter2-hunter2', EDITOR_THEME: 'solarized-dark', PASSWORD: 'short' }));
const key = (name: string): string =>
  `-----BEGIN ${name}PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIEpAIBAAKCAQEA7\n-----END ${name}PRIVATE KEY-----`;

it.each([
  ['echo ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'echo [redacted]'],
  ['github_pat_11ABCDEFG0abcdefghijklmnop', '[redacted]'],
  ['use sk-proj-abc_DEF-0123456789 now', 'use [redacted] now'],
  ['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123', '[redacted]'],
  ['xoxb-1234567890-abcdef', '[redacted]'],
  ['glpat-abcdefghij0123456789', '[redacted]'],
  ['npm_abcdefghijklmnopqrstuvwxyz', '[redacted]'],
  [`before ${key('RSA ')} after`, 'before [redacted] after'],
  [`cut ${key('').slice(0, 60)}`, 'cut [redacted]'],
  ['curl https://user:s3cr3t@host/x', 'curl https://user:[redacted]@host/x'],
  ['-H "Authorization: Bearer abcdef0123456789"', '-H "Authorization: Bearer [redacted]"'],
  ['API_KEY="a b" GREETING=hello run', 'API_KEY=[redacted] GREETING=hello run'],
  [
    'https://a.io/b?page=2&X-Amz-Signature=0123456789abcdef&sig=0123456789&x=1',
    'https://a.io/b?page=2&X-Amz-Signature=[redacted]&sig=[redacted]&x=1',
  ],
  ['https://a.io/?token=abc&lang=en', 'https://a.io/?token=[redacted]&lang=en'],
  ['the value hunter2-hunter2 of a variable', 'the value [redacted] of a variable'],
  ['solarized-dark and short stay', 'solarized-dark and short stay'],
  ['PGPASSWORD=abc psql; MYSQL_PWD=abc clientSecret=x y', 'PGPASSWORD=[redacted] psql; MYSQL_PWD=[redacted] clientSecret=[redacted] y'],
  ['//registry.example/:_authToken=0f1e2d3c-aaaa', '//registry.example/:_authToken=[redacted]'],
  ['login --password hunter2 --name ada', 'login --password [redacted] --name ada'],
  ["curl -u ada:hunter2 -H 'X-Api-Key: abc def' x", "curl -u ada:[redacted] -H 'X-Api-Key: [redacted]' x"],
  ['-H "Authorization: Basic YTpi"', '-H "Authorization: Basic [redacted]"'],
  ['-H "Cookie: a=b; c=d"', '-H "Cookie: [redacted]"'],
  ['{"password": "hunter2", "name": "ada"}', '{"password": [redacted], "name": "ada"}'],
  ['db_password: hunter2', 'db_password: [redacted]'],
  ['interface A { token: string; password: boolean }', 'interface A { token: string; password: boolean }'],
  ['git clone https://0123456789abcdef0123456789abcdef@host/x', 'git clone https://[redacted]@host/x'],
  ['https://x/?access_token=abc&y=1', 'https://x/?access_token=[redacted]&y=1'],
  ['hf_abcdefghijklmnopqrstuvwxyz 123456789:AAabcdefghijklmnopqrstuvwxyz0123456', '[redacted] [redacted]'],
  ['https://hooks.slack.com/services/T000/B000/abcdef', 'https://[redacted]'],
  ['SG.abcdefghijklmnopqrst.abcdefghijklmnopqrst whsec_abcdefghijklmnop', '[redacted] [redacted]'],
  ['https://host/a:b@c and mail ada@example.com', 'https://host/a:b@c and mail ada@example.com'],
  ['PWD=/home/ada OLDPWD=/tmp make tests', 'PWD=/home/ada OLDPWD=/tmp make tests'],
  ['curl -uada:hunter2x -su ada:hunter2x x', 'curl -uada:[redacted] -su ada:[redacted] x'],
  ['mysql -h x -u root -phunter2 db; ls -p x', 'mysql -h x -u root -p[redacted] db; ls -p x'],
  ["sshpass -p 'a b' ssh x && mkdir -p a/b", 'sshpass -p [redacted] ssh x && mkdir -p a/b'],
  ['docker login -u ada -p hunter2 x', 'docker login -u ada -p [redacted] x'],
  ['zip -r -P hunter2 a.zip b; unzip -Phunter2 a', 'zip -r -P [redacted] a.zip b; unzip -P[redacted] a'],
  ['redis-cli -h x -a hunter2', 'redis-cli -h x -a [redacted]'],
  ['openssl enc -aes256 -pass pass:hunter2 -passin pass:a -in a', 'openssl enc -aes256 -pass [redacted] -passin pass:[redacted] -in a'],
  ['machine x login ada password hunter2', 'machine x login ada password [redacted]'],
  ['aws configure set aws_secret_access_key abc', 'aws configure set aws_secret_access_key [redacted]'],
  [
    'npm config set //r.example/:_authToken abc; git config set user.name ada',
    'npm config set //r.example/:_authToken [redacted]; git config set user.name ada',
  ],
  ['kubectl create secret generic x --from-literal=password=abc', 'kubectl create secret generic x --from-literal=password=[redacted]'],
  ['const apiKey = "abc";\naws_session_token = abc123', 'const apiKey = [redacted];\naws_session_token = [redacted]'],
  [String.raw`-d "{\"token\":\"abc\",\"a\":1}"`, String.raw`-d "{\"token\":[redacted],\"a\":1}"`],
  ['Ocp-Apim-Subscription-Key: abc123', 'Ocp-Apim-Subscription-Key: [redacted]'],
  [key('PGP ').replaceAll('KEY-----', 'KEY BLOCK-----'), '[redacted]'],
  [`basic ${btoa('x:hunter2-hunter2')} ${btoa('ab:hunter2-hunter2')}`, 'basic eDp[redacted]I= YWI6[redacted]'],
  [`hex ${Buffer.from('hunter2-hunter2').toString('hex')}`, 'hex [redacted]'],
  ['STRIPE_KEY=abc PUBLIC_KEY=abc sort_key=abc run', 'STRIPE_KEY=[redacted] PUBLIC_KEY=abc sort_key=abc run'],
  ['the words bearer abcdef0123456789 and token abcdef0123456789', 'the words bearer [redacted] and token [redacted]'],
  ['src/token.ts, sk-lib, eyes, AKIA', 'src/token.ts, sk-lib, eyes, AKIA'],
])('takes the secret out of %j', (text, expected) => {
  expect(redact(text)).toBe(expected);
});

// No name beside it and no header: each of these shapes is a secret by itself.
it.each([
  ...['gho_', 'ghp_', 'ghs_', 'ghu_', 'ghr_'].map((start) => `${start}abcdefghijklmnop`),
  'rk_live_abcdefghij',
  'sk_test_abcdefghij',
  ...['AKIA', 'ASIA', 'AROA', 'AIDA'].map((start) => `${start}IOSFODNN7EXAMPLE`),
  'AIzaabcdefghijklmnopqrstuvwxyz-_ABCD',
  'GOCSPX-abcdefghijklmnop',
  'ya29.abcdefghijklmnop',
  'pypi-abcdefghijklmnop',
  'hvs.abcdefghijklmnop',
  'hvb.abcdefghijklmnop',
  ...['dop', 'doo', 'dor'].map((start) => `${start}_v1_0123456789abcdef`),
  ...['at', 'ca', 'pa', 'ss'].map((start) => `shp${start}_0123456789abcdef`),
  'ATATT3abcdefghijklmnop',
  'AGE-SECRET-KEY-1ABCDEFGHIJKLMNOP',
  ...['a', 'b', 'e', 'o', 'p', 'r', 's'].map((kind) => `xox${kind}-abcdefgh`),
  'xapp-abcdefgh',
])('knows %s by its shape', (secret) => {
  expect(redact(`it says ${secret}, more`)).toBe('it says [redacted], more');
  expect(redact(`it says ${secret.slice(0, 7)}, more`)).toBe(`it says ${secret.slice(0, 7)}, more`);
});

it('is quick with text made to be slow', () => {
  for (const text of [
    '-----BEGIN PRIVATE KEY-----'.repeat(200),
    `://${'a'.repeat(5_000)}`,
    'eyJ'.repeat(2_000),
    'a='.repeat(3_000),
    'token '.repeat(1_000),
    'token:'.repeat(1_000),
    `token${' '.repeat(5_000)}`,
    `-u ${'a'.repeat(5_000)}`,
    `cookie: ${'x-'.repeat(3_000)}`,
    `auth ${'_'.repeat(5_000)}`,
    `auth ${'a_'.repeat(3_000)}=`,
    `://${'@'.repeat(5_000)}`,
    '?key'.repeat(2_000),
    `?${'sigkey'.repeat(2_000)}`,
    'mysql '.repeat(2_000),
    'login x password '.repeat(800),
    `set ${'a.'.repeat(5_000)}`,
    'set token '.repeat(1_500),
    `token${'='.repeat(5_000)}`,
    '\\"token'.repeat(2_000),
    '-u'.repeat(5_000),
  ]) {
    const started = computedMs();
    redact(text);
    expect(computedMs() - started).toBeLessThan(1_000);
  }
});

it.each<[string, unknown, unknown]>([
  ['a word behind an option', { args: ['--token', 'abc', '-u', 'ada:x', 'z'] }, { args: ['--token', '[redacted]', '-u', '[redacted]', 'z'] }],
  [
    'a value beside its name',
    { headers: [{ name: 'X-Api-Key', value: 'x' }], env: [{ name: 'LANG', value: 'C' }], pairs: [['Authorization', 'x']] },
    { headers: [{ name: 'X-Api-Key', value: '[redacted]' }], env: [{ name: 'LANG', value: 'C' }], pairs: [['Authorization', '[redacted]']] },
  ],
  ['a field by its name', { password: 'x', path: 'a' }, { password: '[redacted]', path: 'a' }],
  ['what is below such a field', { headers: { Authorization: ['x'] }, max_tokens: 5 }, { headers: { Authorization: '[redacted]' }, max_tokens: 5 }],
  ['a getter, uncalled', Object.defineProperty({}, 'path', { get: () => expect.fail('called'), enumerable: true }), { path: '[undefined]' }],
  ['a function', { path: () => 1 }, { path: '[function]' }],
  ['not a number', Number.NaN, '[number]'],
  ['a proxy that throws', new Proxy({}, { ownKeys: () => expect.fail('refused') }), '[unreadable]'],
  ['a prototype', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
])('describes %s', (_, input, expected) => {
  expect(JSON.stringify(describeArguments(input, redact))).toBe(JSON.stringify(expected));
});

it('takes out a secret that begins with another whole', () => {
  const both = redactor(secretValues({ A_TOKEN: 'hunter2-hunter2', B_TOKEN: 'hunter2-hunter2-and-more' }));
  expect(both('hunter2-hunter2-and-more, hunter2-hunter2')).toBe('[redacted], [redacted]');
});

it('bounds and redacts the names of fields, too', () => {
  const names = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, 1]));
  const described = describeArguments({ [`ghp_${'a'.repeat(36)}`]: 1, ['n'.repeat(5_000)]: 1, ...names }, redact) as Record<string, unknown>;
  expect(Object.keys(described).slice(0, 3)).toEqual(['[redacted]', 'n'.repeat(64), 'f0']);
  expect(Object.keys(described)).toHaveLength(201);
});

it('bounds what a record holds, and keeps the hash of what it cuts', () => {
  const secretAtTheCut = `${'x'.repeat(500)} ghp_${'a'.repeat(36)} ${'y'.repeat(100_000)}`;
  const described = JSON.stringify(describeArguments({ content: secretAtTheCut, list: Array.from({ length: 10_000 }, () => 'z') }, redact));
  expect(described.length).toBeLessThan(4_000);
  expect(described).not.toContain('ghp_a');
  expect(described).toMatch(/"bytes":100542,"sha256":"[0-9a-f]{64}"/u);
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  expect(JSON.stringify(describeArguments(deep, redact)).length).toBeLessThan(100);
});

it('learns secrets, also for a text that it has seen, and forgets the oldest of many', () => {
  const { redact: learning, learn } = learningRedactor(['known-from-the-start']);
  const text = 'known-from-the-start first-token-000 short';
  expect(learning(text)).toBe('[redacted] first-token-000 short');
  learn(['first-token-000', 'short']);
  expect(learning(text)).toBe('[redacted] [redacted] short');
  learn(Array.from({ length: 200 }, (_, index) => `later-token-${index}`));
  expect(learning(`${text} later-token-0 later-token-199`)).toBe('[redacted] first-token-000 short [redacted] [redacted]');
});

it('asks once about a short text, and each time about a long one', () => {
  const asked: string[] = [];
  const length = memoize((text) => (asked.push(text), text === '' ? undefined : text.length));
  const long = 'x'.repeat(257);
  expect([length('a'), length('a'), length(''), length(''), length(long), length(long)]).toEqual([1, 1, undefined, undefined, 257, 257]);
  expect(asked).toEqual(['a', '', long, long]);
});

it('holds a bounded number, and is right about all', () => {
  let asked = 0;
  const same = memoize((text) => ((asked += 1), text));
  const texts = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
  expect(texts.map(same)).toEqual(texts);
  expect(texts.map(same)).toEqual(texts);
  expect(asked).toBe(2_000);
});

// Its bytes have every character in base64 that differs between the two alphabets, wherever they stand.
const SECRET = '>>>???ÿÿÿ~~~>>>???';
const redactSecret = redactor([SECRET]);

it.each(
  [0, 1, 2, 3].flatMap((before) =>
    (['base64', 'base64url'] as const).flatMap((encoding) => ['', 'z', 'zz'].map((after) => [before, encoding, after] as const)),
  ),
)('is found behind %i other bytes in %s, before "%s"', (before, encoding, after) => {
  const text = Buffer.from(`${'x'.repeat(before)}${SECRET}${after}`).toString(encoding);
  expect(redactSecret(text)).toContain(REDACTED);
  expect(redactSecret(text).replace(REDACTED, '').length).toBeLessThan(12);
  expect(redactSecret(Buffer.from(`${'x'.repeat(before)}${SECRET}${after}`).toString('hex'))).toContain(REDACTED);
});

it('is found in an address', () => {
  expect(redactSecret(`https://a.io/?x=${encodeURIComponent(SECRET)}&y`)).toBe(`https://a.io/?x=${REDACTED}&y`);
});

it('has no form that could be part of anything, but for itself', () => {
  expect(secretForms('ab')).toEqual(['ab']);
});
