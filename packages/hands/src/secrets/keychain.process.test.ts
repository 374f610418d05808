import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keychain, type Keychain } from '../state/keychain.ts';
import { KEYCHAINS } from '../state/keychain-kinds.ts';
import type { Secret } from './secret.ts';
import { SecretStore } from './secret-store.ts';

const VALUE = 'a"value\\of it$1';
const secret = (name: string, value = VALUE): Secret => ({
  name,
  also: [],
  texts: {},
  places: [{ scheme: 'https', host: 'a.example.com', port: 443, as: { kind: 'bearer' } }],
  value,
  added: '2026-01-01T00:00:00.000Z',
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'synapse-keychain-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A program in place of that of the Secret Service. */
function instead(script: string, signal?: AbortSignal): Keychain {
  const linux = KEYCHAINS.linux;
  if (linux === undefined) throw new Error('Linux has a keychain.');
  const program = join(folder(), 'secret-tool');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return keychain({ kind: { ...linux, programs: [program] }, answerMs: 700, ...(signal === undefined ? {} : { signal }) });
}

/** Starts a Secret Service in a bus of its own, with an empty keychain; undefined if its programs are missing. */
async function privateService(): Promise<Keychain> {
  const home = folder();
  const runtime = join(home, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const env = { PATH: '/usr/bin:/bin', HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_RUNTIME_DIR: runtime };
  const script = 'printf x | gnome-keyring-daemon --unlock --components=secrets >/dev/null && echo "$DBUS_SESSION_BUS_ADDRESS"; read -r end';
  const child = spawn('dbus-run-session', ['--', '/bin/sh', '-c', script], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.stdin.end());
  for await (const address of createInterface(child.stdout))
    return keychain({ environment: { HOME: home, XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: address } });
  throw new Error('The bus did not start.');
}

const isHere = ['dbus-run-session', 'gnome-keyring-daemon', 'secret-tool'].every((name) => spawnSync('which', [name]).status === 0);

// Needs dbus, gnome-keyring and libsecret-tools.
describe.skipIf(!isHere)('the Secret Service', () => {
  it('keeps the value of a secret, and the file has none', { timeout: 60_000 }, async () => {
    const service = await privateService();
    const state = folder();
    const store = new SecretStore(state, { openKeychain: () => service });
    expect(await store.add(secret('A_KEY'), 'keychain')).toBe(false);
    expect(await store.add(secret('B_KEY', 'in-the-file'))).toBe(false);
    expect(readFileSync(store.file, 'utf8')).not.toContain('value\\\\of it');
    expect(store.known().map(({ name, store: kept }) => [name, kept])).toEqual([
      ['A_KEY', 'keychain'],
      ['B_KEY', 'file'],
    ]);
    const other = new SecretStore(state, { openKeychain: () => service });
    expect((await other.list()).map(({ value }) => value)).toEqual([VALUE, 'in-the-file']);
    const entry = /"keychain": "(A_KEY [^"]*)"/u.exec(readFileSync(store.file, 'utf8'))?.[1] ?? '';
    expect(await service.read(entry)).toBe(VALUE);
    // Another process replaces it.
    expect(await store.add(secret('A_KEY', 'rotated-value'), 'keychain')).toBe(true);
    expect((await other.list())[0]?.value).toBe('rotated-value');
    expect(await service.read(entry)).toBeUndefined();
    expect(await store.remove('A_KEY')).toBe(true);
    expect((await other.list()).map(({ name }) => name)).toEqual(['B_KEY']);
  });
});

describe.skipIf(process.platform === 'win32')('a keychain', () => {
  it.each([
    ['sleep 60', 'The Secret Service did not answer in 0.7 seconds.'],
    ['echo "Cannot autolaunch D-Bus" >&2; exit 1', 'The Secret Service cannot be used: Cannot autolaunch D-Bus.'],
    ['kill -9 $$', 'The Secret Service cannot be used.'],
  ])('that fails by %j is one sentence', async (script, message) => {
    const broken = instead(script);
    for (const use of [() => broken.save('A', VALUE), () => broken.read('A'), () => broken.remove('A')]) await expect(use()).rejects.toThrow(message);
  });

  it('that is missing is one sentence, also on other systems', async () => {
    const linux = KEYCHAINS.linux;
    const missing = keychain({ kind: linux === undefined ? undefined : { ...linux, programs: ['/nowhere'] } });
    await expect(missing.read('A')).rejects.toThrow('The program of the Secret Service is not installed.');
  });

  it('that does not keep a value is an error, and the secret is not added', async () => {
    const deaf = instead('exit 0');
    const store = new SecretStore(folder(), { openKeychain: () => deaf });
    await expect(store.add(secret('A_KEY'), 'keychain')).rejects.toThrow('The Secret Service cannot be used.');
    expect(store.known()).toEqual([]);
  });

  it('gets a value on stdin, not as an argument, and few variables', async () => {
    const log = join(folder(), 'log');
    const kept = instead(`{ echo "words: $*"; env; } >> ${log}; case $1 in store) cat > ${log}.value;; lookup) cat ${log}.value;; esac`);
    process.env['SYNAPSE_TEST_OTHER'] = 'x';
    onTestFinished(() => void delete process.env['SYNAPSE_TEST_OTHER']);
    await kept.save('A', VALUE);
    expect(await kept.read('A')).toBe(VALUE);
    const text = readFileSync(log, 'utf8');
    expect(text).toContain('words: store --label=Synapse: A service synapse account A');
    expect(text).not.toContain(VALUE);
    expect(text).not.toContain('SYNAPSE_TEST_OTHER');
  });

  it('that is locked stops nothing else of this process', async () => {
    const said = join(folder(), 'said');
    // It answers once something else of this process has gone on.
    const locked = instead(`while [ ! -e ${said} ]; do sleep 0.01; done; printf %s '${VALUE}'`);
    const reading = locked.read('A');
    setImmediate(() => writeFileSync(said, ''));
    expect(await reading).toBe(VALUE);
  });

  it('is not waited for once nothing needs it any more', async () => {
    const stop = new AbortController();
    const reading = instead('sleep 60', stop.signal).read('A');
    setImmediate(() => stop.abort());
    await expect(reading).rejects.toThrow('The Secret Service could not be asked.');
  });

  it('that failed is not asked again at once, and known() does not ask it', async () => {
    const state = folder();
    const log = join(state, 'log');
    const good = instead(`case $1 in store) cat > ${log}.value;; lookup) cat ${log}.value;; esac`);
    await new SecretStore(state, { openKeychain: () => good }).add(secret('A_KEY'), 'keychain');
    const locked = instead(`echo asked >> ${log}; echo locked >&2; exit 1`);
    const store = new SecretStore(state, { openKeychain: () => locked });
    expect(store.known()).toHaveLength(1);
    for (let at = 0; at < 3; at += 1) await expect(store.list()).rejects.toThrow('The Secret Service cannot be used: locked.');
    expect(readFileSync(log, 'utf8')).toBe('asked\n');
    // The error names what cannot be removed there. It is not used anymore.
    await expect(store.remove('A_KEY')).rejects.toThrow(/still has it as "A_KEY [\da-f]{8}"/u);
    expect(store.known()).toEqual([]);
  });
});

it('of macOS gets the value on stdin, quoted', () => {
  const { words, input } = KEYCHAINS.darwin?.save('A_KEY 1', VALUE) ?? { words: [] };
  expect(words).toEqual(['-i']);
  expect(input).toBe(String.raw`add-generic-password -U -s "synapse" -a "A_KEY 1" -w "a\"value\\of it$1"` + '\n');
});
