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

/** A keychain in memory; `give` is what it answers instead of what it has. */
function memory(give: (value: string | undefined) => Promise<string | undefined> = async (value) => value) {
  const entries = new Map<string, string>();
  const openKeychain = (): Keychain => ({
    save: async (account, value) => void entries.set(account, value),
    read: async (account) => await give(entries.get(account)),
    remove: async (account) => void entries.delete(account),
  });
  return { entries, openKeychain };
}

it('keeps secrets in a file that only its owner can read', async () => {
  const { store, file, folder } = open();
  expect(await store.list()).toEqual([]);
  expect(await store.add(secret('B_KEY'))).toBe(false);
  expect(await store.add(secret('A_KEY'))).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await new SecretStore(folder).list()).map(({ name }) => name)).toEqual(['A_KEY', 'B_KEY']);
});

it('sees what another process changed', async () => {
  const { store, folder } = open();
  await store.add(secret('A_KEY'));
  expect((await store.list())[0]?.value).toBe('value-of-it');
  expect(await new SecretStore(folder).add(secret('A_KEY', 'rotated-value'))).toBe(true);
  expect((await store.list())[0]?.value).toBe('rotated-value');
});

it('gives the password of a user and a password as well, to be masked', async () => {
  const { store, folder } = open();
  await store.add({ ...secret('A_KEY', 'me:correct-horse'), places: secret('A').places.map((place) => ({ ...place, as: { kind: 'basic' } })) });
  const both = ['me:correct-horse', 'correct-horse'];
  // Also before the values were asked for.
  expect(await new SecretStore(folder).values()).toEqual(both);
  expect(await store.values()).toEqual(both);
});

it('removes', async () => {
  const { store, file } = open();
  await store.add(secret('A_KEY'));
  expect(await store.remove('B_KEY')).toBe(false);
  expect(await store.remove('A_KEY')).toBe(true);
  expect(await store.list()).toEqual([]);
  expect(readFileSync(file, 'utf8')).not.toContain('value-of-it');
});

it('refuses a file that others can read, and one that is damaged, without its content', async () => {
  const { store, file } = open();
  await store.add(secret('A_KEY'));
  chmodSync(file, 0o644);
  const wide = new SecretStore(join(file, '..'));
  await expect(wide.list()).rejects.toThrow('can be read or changed by other users');
  // It is not used, and not shown either.
  expect(await wide.values()).toEqual(['value-of-it']);
  writeFileSync(file, '{"version":1,"secrets":[{"value":"value-of-it"}]}');
  chmodSync(file, 0o600);
  await expect(store.list()).rejects.toThrow('is damaged');
  await expect(store.list()).rejects.not.toThrow('value-of-it');
});

it('leaves nothing in the keychain if the file cannot be written', async () => {
  const { file, folder } = open();
  const { entries, openKeychain } = memory();
  const store = new SecretStore(folder, {
    openKeychain: () => ({
      ...openKeychain(),
      async save(account, value) {
        entries.set(account, value);
        // Something else takes the place of the file meanwhile.
        mkdirSync(join(file, 'in the way'), { recursive: true });
      },
    }),
  });
  await expect(store.add(secret('A_KEY'), 'keychain')).rejects.toThrow();
  expect(entries.size).toBe(0);
});

it('still knows what to take out of results when the keychain locks or the file is damaged', async () => {
  const { file, folder } = open();
  let isLocked = false;
  const { openKeychain } = memory(async (value) => {
    if (isLocked) throw new SynapseError('unavailable', 'The Secret Service cannot be used.', { hint: 'Unlock it.' });
    return value;
  });
  const store = new SecretStore(folder, { openKeychain });
  await store.add(secret('A_KEY', 'value-in-keychain'), 'keychain');
  await store.add(secret('B_KEY', 'value-in-file'));
  expect(await store.values()).toEqual(['value-in-keychain', 'value-in-file']);
  isLocked = true;
  await new SecretStore(folder, { openKeychain }).add(secret('C_KEY', 'another-in-file'));
  await expect(store.list()).rejects.toThrow('The Secret Service cannot be used.');
  expect(new Set(await store.values())).toEqual(new Set(['value-in-keychain', 'value-in-file', 'another-in-file']));
  expect(new Set(await new SecretStore(folder, { openKeychain }).values())).toEqual(new Set(['value-in-file', 'another-in-file']));
  writeFileSync(file, '{');
  expect(await store.values()).toContain('value-in-keychain');
});

it('holds up no result by a keychain that does not answer, and asks it once for all that wait', async () => {
  const { folder } = open();
  let asked = 0;
  const opened = Promise.withResolvers<void>();
  const { openKeychain } = memory(async (value) => {
    asked += 1;
    await opened.promise;
    return value;
  });
  const store = new SecretStore(folder, { openKeychain });
  await store.add(secret('A_KEY', 'value-in-keychain'), 'keychain');
  await store.add(secret('B_KEY', 'value-in-file'));
  const listed = [store.list(), store.list()];
  expect([await store.values(), await store.values()]).toEqual([['value-in-file'], ['value-in-file']]);
  opened.resolve();
  for (const list of await Promise.all(listed)) expect(list.map(({ value }) => value)).toEqual(['value-in-keychain', 'value-in-file']);
  expect(await store.values()).toContain('value-in-keychain');
  expect(asked).toBe(1);
});

it('masks what the keychain gave, also where it does not give all', async () => {
  const { folder } = open();
  const { entries, openKeychain } = memory();
  const store = new SecretStore(folder, { openKeychain });
  await store.add(secret('A_KEY', 'value-in-keychain'), 'keychain');
  await store.add(secret('B_KEY', 'removed-by-others'), 'keychain');
  for (const [account, value] of entries) if (value === 'removed-by-others') entries.delete(account);
  const other = new SecretStore(folder, { openKeychain });
  await expect(other.list()).rejects.toThrow('The keychain does not have B_KEY anymore.');
  expect(await other.values()).toEqual(['value-in-keychain']);
});

it.each(['a', 'a\r\nX-Other: 1-2-3-4', ' spaces around it ', 'x'.repeat(70_000)])('uses no value that could not be added: %j', async (value) => {
  const { folder, file } = open();
  const { openKeychain } = memory(async () => value);
  const store = new SecretStore(folder, { openKeychain });
  await store.add(secret('A_KEY'), 'keychain');
  await expect(store.list()).rejects.toThrow('What is stored of A_KEY cannot be a secret');
  await store.add(secret('A_KEY'));
  writeFileSync(file, readFileSync(file, 'utf8').replace('value-of-it', JSON.stringify(value).slice(1, -1)));
  await expect(store.list()).rejects.toThrow('What is stored of A_KEY cannot be a secret');
  expect(await store.values()).not.toContain('a');
});
