import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KEYCHAINS } from '../../state/keychain-kinds.ts';
import { systemKeychain } from '../../state/optional-keychain.ts';
import { LoginStore, type StoredLogin } from './login-store.ts';

const LOGIN: StoredLogin = { server: 'https://mcp.example/', tokens: { access_token: 'a-token', token_type: 'bearer' } };

/** A store of logins with a script in place of the program of the keychain. */
function open(config: string, script: string, answerMs = 5_000): LoginStore {
  const { linux } = KEYCHAINS;
  if (linux === undefined) throw new Error('Linux has a keychain.');
  const program = join(mkdtempSync(join(tmpdir(), 'synapse-logins-')), 'secret-tool');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return new LoginStore(
    config,
    () => {},
    () => systemKeychain({ kind: { ...linux, programs: [program] }, answerMs }),
  );
}

it('keeps a login in the keychain, finds it there, and forgets it', async () => {
  const config = mkdtempSync(join(tmpdir(), 'synapse-logins-'));
  const store = open(config, `case $1 in store) cat > ${config}/kept;; lookup) cat ${config}/kept;; clear) rm ${config}/kept;; esac`);
  await store.save(LOGIN);
  expect(await store.find(LOGIN.server)).toEqual(LOGIN);
  expect(await store.remove(LOGIN.server)).toBe(true);
  expect(await store.find(LOGIN.server)).toBeUndefined();
});

it('goes on while a keychain hangs, says so, and keeps a new login in a file', async () => {
  const config = mkdtempSync(join(tmpdir(), 'synapse-logins-'));
  await open(config, `case $1 in store) cat > ${config}/kept;; lookup) cat ${config}/kept;; esac`).save(LOGIN);
  const hanging = open(config, `echo $1 >> ${config}/asked; exec sleep 60`, 300);
  const found = hanging.find(LOGIN.server);
  const second = hanging.find(LOGIN.server);
  let turns = 0;
  const ended = Promise.allSettled([found, second]);
  // Each turn of the loop while the program hangs.
  for (let isOver = false; !isOver; turns += 1)
    isOver = await Promise.race([ended.then(() => true), new Promise<false>((next) => void setImmediate(next, false))]);
  expect(turns).toBeGreaterThan(5);
  for (const one of [found, second]) await expect(one).rejects.toThrow('The Secret Service did not answer in 0.3 seconds.');
  await hanging.save(LOGIN);
  expect(await hanging.find(LOGIN.server)).toEqual(LOGIN);
});
