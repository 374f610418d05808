import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureDevice, findDevice } from './device-store.ts';
import { KEYCHAINS, systemKeychain, type OptionalKeychain } from '@synapse/hands/internal';

const NONE: OptionalKeychain = { store: async () => false, find: async () => undefined, remove: async () => {} };

/** The keychain of Linux, with another program. */
function keychainOf(program: string, answerMs = 5_000): OptionalKeychain | undefined {
  const { linux } = KEYCHAINS;
  return linux === undefined ? undefined : systemKeychain({ kind: { ...linux, programs: [program] }, answerMs });
}

const folder = (): string => mkdtempSync(join(tmpdir(), 'synapse-keys-'));

it('keeps the keys in a file that only its owner can read, and refuses one that others can', async () => {
  const config = folder();
  expect(await findDevice(config, NONE)).toBeUndefined();
  const device = await ensureDevice(config, NONE);
  expect(await ensureDevice(config, NONE)).toEqual(device);
  const file = join(config, 'keys', 'device.json');
  expect([statSync(file).mode & 0o777, statSync(join(config, 'keys')).mode & 0o777]).toEqual([0o600, 0o700]);
  chmodSync(file, 0o640);
  await expect(findDevice(config, NONE)).rejects.toThrow(/can be read or changed by other users/u);
  chmodSync(file, 0o600);
  writeFileSync(file, `{"sign":"${device.sign}"`);
  await expect(findDevice(config, NONE)).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining(device.sign) as string }));
});

it('keeps the keys in the keychain where there is one: nothing of them in files or arguments', async () => {
  const bin = folder();
  const [kept, words] = [join(bin, 'kept'), join(bin, 'words')];
  const program = `#!/bin/sh\necho "$@" >> ${words}\nif [ "$1" = store ]; then cat > ${kept}; else cat ${kept}; fi\n`;
  writeFileSync(join(bin, 'secret-tool'), program, { mode: 0o755 });
  const keychain = keychainOf(join(bin, 'secret-tool'));
  const config = folder();
  const device = await ensureDevice(config, keychain);
  expect(await findDevice(config, keychain)).toEqual(device);
  const secret = readFileSync(kept, 'utf8');
  expect(Buffer.from(secret, 'base64url').toString()).toContain(device.sign);
  expect(readFileSync(words, 'utf8')).not.toContain(secret);
  expect(readFileSync(join(config, 'keys', 'device.json'), 'utf8')).not.toContain(device.sign);
  await expect(findDevice(config, NONE)).rejects.toThrow('does not give out the key');
});

it('takes a file where the keychain keeps nothing', async () => {
  const bin = folder();
  writeFileSync(join(bin, 'secret-tool'), '#!/bin/sh\ncat > /dev/null\n', { mode: 0o755 });
  const keychain = keychainOf(join(bin, 'secret-tool'));
  const config = folder();
  const device = await ensureDevice(config, keychain);
  expect(await findDevice(config, undefined)).toEqual(device);
});

it('goes on while a keychain hangs, and says so', async () => {
  const bin = folder();
  writeFileSync(join(bin, 'secret-tool'), `#!/bin/sh\nif [ "$1" = store ]; then cat > ${bin}/kept; else cat ${bin}/kept; fi\n`, { mode: 0o755 });
  const config = folder();
  await ensureDevice(config, keychainOf(join(bin, 'secret-tool')));
  writeFileSync(join(bin, 'secret-tool'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const found = findDevice(config, keychainOf(join(bin, 'secret-tool'), 300));
  // A synchronous call would have ended before.
  expect(await Promise.race([found.catch(() => 'ended'), new Promise((next) => void setImmediate(next, 'free'))])).toBe('free');
  await expect(found).rejects.toThrow('The Secret Service did not answer in 0.3 seconds.');
});
