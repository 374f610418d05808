import ignore from 'ignore';
import { describe, expect, it } from 'vitest';
import { patternNamesGuarded, readGuard, SECRET_PATTERNS, writeGuard } from './guarded-paths.ts';
import { locate } from './location.ts';

const SECRETS = [
  '.env',
  '.ENV',
  'a/.env.local',
  '.env.production',
  'server.pem',
  'id_rsa',
  'id_ed25519',
  'keys/id_ecdsa_sk',
  '.netrc',
  '.git-credentials',
  '.aws/credentials',
  '.ssh/config',
  'home/.ssh/known_hosts',
  '.npmrc',
  '.docker/config.json',
  '.kube/config',
];
const OPEN = [
  '.env.example',
  '.env.sample',
  'a/.env.template',
  'id_rsa.pub',
  'environment.ts',
  'src/keys.ts',
  'pem.md',
  '.github/x',
  'docker/config.json',
  'monkey.js',
];

describe('guards', () => {
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
