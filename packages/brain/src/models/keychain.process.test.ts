import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findKeychain, readKeychain, type Keychain } from './keychain.ts';
import { openModel } from './open-model.ts';

/** A program that stands in for `secret-tool`. */
function keychain(script: string): Keychain {
  const program = join(mkdtempSync(join(tmpdir(), 'synapse-')), 'secret-tool');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o700);
  return { program, read: (account) => ['lookup', 'service', 'synapse', 'account', account], store: (account) => `store ${account}` };
}

it('reads a key by the name of its variable', async () => {
  expect(await readKeychain(keychain('test "$*" = "lookup service synapse account OPENAI_API_KEY" && echo sk-1'), 'OPENAI_API_KEY')).toBe('sk-1');
  expect(await readKeychain(keychain('exit 1'), 'OPENAI_API_KEY')).toBeUndefined();
  expect(await readKeychain(keychain('echo'), 'OPENAI_API_KEY')).toBeUndefined();
  expect(findKeychain([{ ...keychain(''), program: '/nowhere' }])).toBeUndefined();
});

it('takes the environment first, then the keychain, and says how to set a key that neither has', async () => {
  const asked = keychain('test "$5" = GEMINI_API_KEY && echo sk-2');
  await expect(openModel('google/gemini-3-pro', { environment: {}, keychain: asked })).resolves.toMatchObject({ modelId: 'gemini-3-pro' });
  await expect(openModel('openai/gpt-5.2', { environment: { OPENAI_API_KEY: 'x' }, keychain: keychain('exit 1') })).resolves.toBeDefined();
  await expect(openModel('openai/gpt-5.2', { environment: {}, keychain: asked })).rejects.toMatchObject({
    message: 'No API key for openai.',
    hint: 'Set OPENAI_API_KEY, or keep the key in the keychain: store OPENAI_API_KEY',
  });
  await expect(openModel('openai/gpt-5.2', { environment: {}, keychain: 'none' })).rejects.toMatchObject({ hint: 'Set OPENAI_API_KEY.' });
});
