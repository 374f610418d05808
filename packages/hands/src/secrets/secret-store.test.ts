import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { expect, it } from 'vitest';
import type { Keychain } from '../state/keychain.ts';
import type { Secret } from './secret.ts';
import { SecretStore } from './secret-store.ts';

function open(): { store: SecretStore; file: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-secrets-'));
  return { store: new SecretStore(folder), file: join(folder, 'secrets.json'), folder };
}
const secret = (name: string, value = 'value-of-it'): Secret => ({
  name,
  also: [],
  texts: {},
  places: [{ scheme: 'https', host: 'a.example.com', port: 443, as: { kind: 'bearer' } }],
  value,
  added: '2026-01-01T00:00:00.000Z',
});

it('keeps secrets in a file that only its owner can read', () => {
  const { store, file, folder } = open();
  expect(store.list()).toEqual([]);
  expect(store.add(secret('B_KEY'))).toBe(false);
  expect(store.add(secret('A_KEY'))).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(new SecretStore(folder).list().map(({ name }) => name)).toEqual(['A_KEY', 'B_KEY']);
});

it('sees what another process changed', () => {
  const { store, folder } = open();
  store.add(secret('A_KEY'));
  expect(store.list()[0]?.value).toBe('value-of-it');
  expect(new SecretStore(folder).add(secret('A_KEY', 'rotated-value'))).toBe(true);
  expect(store.list()[0]?.value).toBe('rotated-value');
});

it('removes', () => {
  const { store, file } = open();
  store.add(secret('A_KEY'));
  expect(store.remove('B_KEY')).toBe(false);
  expect(store.remove('A_KEY')).toBe(true);
  expect(store.list()).toEqual([]);
  expect(readFileSync(file, 'utf8')).not.toContain('value-of-it');
});

it('refuses a file that others can read, and one that is damaged, without its content', () => {
  const { store, file } = open();
  store.add(secret('A_KEY'));
  chmodSync(file, 0o644);
  expect(() => new SecretStore(join(file, '..')).list()).toThrow('can be read or changed by other users');
  writeFileSync(file, '{"version":1,"secrets":[{"value":"value-of-it"}]}');
  chmodSync(file, 0o600);
  expect(() => store.list()).toThrow('is damaged');
  expect(() => store.list()).not.toThrow('value-of-it');
});

it('leaves nothing in the keychain if the file cannot be written', () => {
  const { file, folder } = open();
  const entries = new Map<string, string>();
  const keychain: Keychain = {
    save(account, value) {
      entries.set(account, value);
      // Something else takes the place of the file meanwhile.
      mkdirSync(join(file, 'in the way'), { recursive: true });
    },
    read: (account) => entries.get(account),
    remove: (account) => void entries.delete(account),
  };
  expect(() => new SecretStore(folder, () => keychain).add(secret('A_KEY'), 'keychain')).toThrow();
  expect(entries.size).toBe(0);
});

it('still knows what to take out of results when the keychain locks or the file is damaged', () => {
  const { file, folder } = open();
  let isLocked = false;
  const entries = new Map<string, string>();
  const keychain = (): Keychain => ({
    save: (account, value) => void entries.set(account, value),
    read(account) {
      if (isLocked) throw new SynapseError('unavailable', 'The Secret Service cannot be used.', { hint: 'Unlock it.' });
      return entries.get(account);
    },
    remove: (account) => void entries.delete(account),
  });
  const store = new SecretStore(folder, keychain);
  store.add(secret('A_KEY', 'value-in-keychain'), 'keychain');
  store.add(secret('B_KEY', 'value-in-file'));
  expect(store.values()).toEqual(['value-in-keychain', 'value-in-file']);
  isLocked = true;
  new SecretStore(folder, keychain).add(secret('C_KEY', 'another-in-file'));
  expect(() => store.list()).toThrow('The Secret Service cannot be used.');
  expect(new Set(store.values())).toEqual(new Set(['value-in-keychain', 'value-in-file', 'another-in-file']));
  expect(new Set(new SecretStore(folder, keychain).values())).toEqual(new Set(['value-in-file', 'another-in-file']));
  writeFileSync(file, '{');
  expect(store.values()).toContain('value-in-keychain');
});
