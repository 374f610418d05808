import fc from 'fast-check';
import ignore from 'ignore';
import { describe, expect, it } from 'vitest';
import { foldName } from '../danger/protected-places.ts';
import { fold, locate, locateIn, isHarmlessDevice, patternNamesGuarded, readGuard, SECRET_PATTERNS, writeGuard } from './guarded-location.ts';

/** For each pattern what it is there for; the pattern and the expression for one path are written apart. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '.env': ['.env', '.ENV', 'a/.env/b'],
  '.env.*': ['a/.env.local', '.env.production', '.env.examples'],
  '.envrc': ['.envrc'],
  '*.pem': ['server.pem'],
  '*.key': ['tls/server.key'],
  '*.p12': ['a.p12'],
  '*.pfx': ['a.PFX'],
  '*.keystore': ['release.keystore'],
  '*.jks': ['a.jks'],
  '*.kdbx': ['a.kdbx'],
  'id_rsa*': ['id_rsa', 'id_rsa.old'],
  'id_dsa*': ['id_dsa'],
  'id_ecdsa*': ['keys/id_ecdsa_sk'],
  'id_ed25519*': ['id_ed25519'],
  '.netrc': ['.netrc'],
  _netrc: ['_netrc'],
  '.git-credentials': ['.git-credentials'],
  '.pgpass': ['.pgpass'],
  '.my.cnf': ['.my.cnf'],
  '.htpasswd': ['.htpasswd'],
  '.npmrc': ['.npmrc'],
  '.pypirc': ['.pypirc'],
  '.dockercfg': ['.dockercfg'],
  '.vault-token': ['.vault-token'],
  '.ssh/': ['.ssh/config', 'home/.ssh/known_hosts'],
  '.gnupg/': ['.gnupg/trustdb.gpg'],
  '.aws/': ['.aws/credentials'],
  '.azure/': ['.azure/a'],
  '.kube/': ['.kube/config'],
  '.docker/config.json': ['.docker/config.json'],
  '.config/gh/': ['.config/gh/hosts.yml'],
  '.config/gcloud/': ['.config/gcloud/a'],
};
const SECRETS = Object.values(EXAMPLES).flat();
const OPEN = [
  '.env.example',
  '.env.sample',
  'a/.env.template',
  '.env.dist',
  'id_rsa.pub',
  'environment.ts',
  'src/keys.ts',
  'pem.md',
  '.github/x',
  'docker/config.json',
  'monkey.js',
];

describe('guards', () => {
  it('has an example for each pattern', () => {
    expect(SECRET_PATTERNS.filter((pattern) => !pattern.startsWith('!'))).toEqual(Object.keys(EXAMPLES));
  });

  it.each(SECRETS)('%s is a secret, for one path and for a search', (path) => {
    expect(readGuard(locate(path, ['/ws']))).toBe('secret');
    expect(
      ignore()
        .add([...SECRET_PATTERNS])
        .ignores(path),
    ).toBe(true);
  });

  it.each(OPEN)('%s is none', (path) => {
    expect(readGuard(locate(path, ['/ws']))).toBeUndefined();
    expect(
      ignore()
        .add([...SECRET_PATTERNS])
        .ignores(path),
    ).toBe(false);
  });

  it.each([
    '/etc/shadow',
    '/etc/shadow-',
    '/etc/gshadow',
    '/etc/sudoers',
    '/etc/master.passwd',
    '/etc/opasswd',
    '/etc/security/opasswd',
    '/etc/krb5.keytab',
    '/etc/wireguard/wg0.conf',
    '/ETC/sudoers.d/x',
    '/etc/ssl/private/a',
    '/etc/ssh/ssh_host_rsa_key',
    '/etc/NetworkManager/system-connections/w',
  ])('%s is a secret of the system', (path) => {
    expect(readGuard(locate(path, ['/ws']))).toBe('secret');
    expect(readGuard(locate(path, ['/']))).toBe('secret');
    expect(patternNamesGuarded(`/${path}`)).toBe(true);
  });

  it.each(['/etc/passwd', '/etc/ssh/ssh_host_rsa_key.pub', '/srv/etc/shadow', '/etc/shadows'])('%s is none', (path) => {
    expect(readGuard(locate(path, ['/ws']))).toBe('outside');
  });

  it.each([
    ['/dev/null', true],
    ['/dev/zero', true],
    ['/dev/full', true],
    ['/dev/random', true],
    ['/dev/urandom', true],
    ['/dev/stdin', true],
    ['/dev/stdout', true],
    ['/dev/stderr', true],
    ['/dev/fd/12', true],
    ['/dev/sda', false],
    ['/dev/null/x', false],
    ['/dev/tcp/evil.io/80', false],
    ['/dev/fd/../sda', false],
    ['dev/null', false],
  ])('%s is a device that every script uses: %s', (path, expected) => {
    expect(isHarmlessDevice(locate(path, ['/ws']))).toBe(expected);
  });

  it.each([
    ['.git/config', 'protected'],
    ['/ws/.vscode/tasks.json', 'protected'],
    ['../x', 'outside'],
    ['/etc/passwd', 'outside'],
    ['/ws-evil/x', 'outside'],
    ['src/a.ts', undefined],
    ['a/../../ws/src/a.ts', undefined],
  ])('writing %s: %s', (path, guard) => {
    expect(writeGuard(locate(path, ['/ws']))).toBe(guard);
  });

  it.each([
    ['.env', true],
    ['.env*', true],
    ['*.pem', true],
    ['.vscode/**', true],
    ['**/.git/hooks/**', true],
    ['src/**', false],
    ['**', false],
    ['*.ts', false],
  ])('the pattern %s names one: %s', (pattern, expected) => {
    expect(patternNamesGuarded(pattern)).toBe(expected);
  });
});

describe('an entry of a known folder', () => {
  it.each(['.', 'src', 'Src/Deep'])('has in %s the location of its path', (folder) => {
    const known = locate(folder, ['/ws']);
    for (const name of ['a', 'A.TS', '.Bin', '.a.b', 'with-dash+and@more', 'secrets.']) {
      const found = locateIn(known, name);
      if (found !== undefined) expect(found).toEqual(locate(`${folder}/${name}`, ['/ws']));
    }
    expect(locateIn(known, 'A.TS')?.folded).toMatch(/a\.ts$/u);
  });

  it.each(['..', '.', '...', '..a', '.a.', 'secrets.', 'git~1', 'a/b', '\u017fecrets', '\\x41', '', Buffer.from([0xff]), undefined])(
    'is not guessed for %j',
    (name) => {
      expect(locateIn(locate('.', ['/ws']), name)).toBeUndefined();
      // The control.
      expect(locateIn(locate('.', ['/ws']), 'a')).toBeDefined();
    },
  );

  it('is not guessed outside the workspace', () => {
    expect(locateIn(locate('/etc', ['/ws']), 'passwd')).toBeUndefined();
  });
});

it('folds a path the same whatever was asked before', () => {
  const paths = ['Aa/Bb/Cc', 'Aa/Bb/Dd', 'Aa/bb/Cc', 'Aa', '', 'Aa/Bb', '/', '/Aa', '/Aa/Bb/Cc', '/Aa/Bb/Ⅷ', '/℀/X', '/℀/Y', 'x/℀', 'Aa/Bb/Cc'];
  const folded = (order: readonly string[]): Map<string, string> => new Map(order.map((path) => [path, locate(path, ['/Work']).folded]));
  const first = folded(paths);
  expect(Object.fromEntries(folded(paths.toReversed()))).toEqual(Object.fromEntries(first));
  expect(first.get('Aa/Bb/Dd')).toBe('aa/bb/dd');
  expect(first.get('/℀/Y')).toBe('a/c/y');
  expect(first.get('/Aa/Bb/Ⅷ')).toBe('aa/bb/viii');
});

it('folds plain names as all others', () => {
  const name = fc.string({ unit: fc.constantFrom('.', 'A', 'k', '\u212a', '-', '_', '@', '~', '1', ' ', ':', '\u00ad'), maxLength: 8 });
  expect(() => fc.assert(fc.property(name, (one) => fold(one) === foldName(one)))).not.toThrow();
});
