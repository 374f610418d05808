import { SecretStore, type Secret } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkSecrets } from './check-secrets.ts';

const secret = (name: string): Secret => ({
  name,
  also: [],
  texts: {},
  places: [{ scheme: 'https', host: 'a.example.com', port: 443, as: { kind: 'bearer' } }],
  value: 'value-of-it',
  added: '2026-01-01T00:00:00.000Z',
});

it('says where secrets are, and what is wrong with the keychain or the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-check-secrets-'));
  const entries = new Map<string, string>();
  let isLocked = false;
  const open = (): SecretStore =>
    new SecretStore(folder, {
      openKeychain: () => ({
        save: async (account, value) => void entries.set(account, value),
        async read(account) {
          if (isLocked) throw new SynapseError('unavailable', 'The Secret Service cannot be used.', { hint: 'Unlock it.' });
          return entries.get(account);
        },
        remove: async (account) => void entries.delete(account),
      }),
    });
  const store = open();
  expect(await checkSecrets(store)).toEqual([]);
  await store.add(secret('A_KEY'));
  expect(await checkSecrets(store)).toEqual([{ ok: true, detail: `1 in ${store.file}, which only you can read` }]);
  await store.add(secret('B_KEY'), 'keychain');
  expect(await checkSecrets(store)).toEqual([{ ok: true, detail: `1 in ${store.file}, which only you can read; 1 in the keychain` }]);
  isLocked = true;
  expect(await checkSecrets(open())).toEqual([{ ok: false, detail: 'The Secret Service cannot be used.', fix: 'Unlock it.' }]);
  isLocked = false;
  entries.clear();
  expect(await checkSecrets(open())).toMatchObject([{ ok: false, detail: 'The keychain does not have B_KEY anymore.' }]);
  writeFileSync(store.file, '{"value-of-it');
  expect(await checkSecrets(open())).toMatchObject([{ ok: false, detail: expect.not.stringContaining('value-of-it') as string }]);
});
