import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { makePlace, runCli, startCli, type Place } from './run-cli.ts';

/** A device of its own: with its own keys and records. */
async function device(files: Record<string, string> = {}): Promise<Place> {
  const place = await makePlace(files);
  // Without a keychain, wherever the test runs.
  return {
    ...place,
    environment: { ...place.environment, XDG_CONFIG_HOME: join(place.environment['XDG_STATE_HOME'] ?? '', 'config'), PATH: '/usr/bin:/bin' },
  };
}

/** A command that goes on, and the lines that it prints. */
function going(place: Place, words: readonly string[]) {
  const child = startCli(place, words);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  const said = async (pattern: RegExp): Promise<string> => {
    await expect.poll(() => lines.some((line) => pattern.test(line)), { interval: 20, timeout: 20_000, message: String(pattern) }).toBe(true);
    return lines.find((line) => pattern.test(line)) ?? '';
  };
  return { child, lines, said };
}

const fingerprintOf = (text: string, label: string): string | undefined =>
  new RegExp(`${label}: +((?:[0-9A-F]{4} ?){8})`, 'u').exec(text)?.[1]?.trim();

it('a relay demands pairing; a paired device calls, and a revoked one is refused', { timeout: 120_000 }, async () => {
  const [host, desk, away] = await Promise.all([device(), device({ 'a.txt': 'hello\n' }), device()]);
  const relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const remote = `${url}#desk`;
  const read = ['call', 'read_file', '{"path":"a.txt"}', '--remote', remote];

  const refused = await runCli(away, read);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('Pair this machine again: synapse pair');

  const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
  const pairing = going(desk, ['pair', url, '--name', 'desk', '--tools', 'read_file']);
  await pairing.said(/does not know this machine/u);
  pairing.child.stdin?.write(`${invitation}\n`);
  const code = (await pairing.said(/^ {4}[0-9A-Z]{4}-[0-9A-Z]{4}$/u)).trim();
  const joined = await runCli(away, ['pair', remote], `${code}\n`);
  expect(joined.code).toBe(0);
  await pairing.said(/^It may use/u);
  const shown = pairing.lines.join('\n');
  expect(fingerprintOf(joined.err, 'Its fingerprint')).toBe(fingerprintOf(shown, 'This device'));
  expect(fingerprintOf(joined.err, 'This device')).toBe(fingerprintOf(shown, 'Its fingerprint'));

  const machine = going(desk, ['connect', url, '--name', 'desk']);
  await machine.said(/^Connected/u);
  expect(await runCli(away, read)).toMatchObject({ code: 0, out: 'hello\n' });
  const outOfScope = await runCli(away, ['call', 'list_directory', '{"path":"."}', '--remote', remote]);
  expect(outOfScope.code).toBe(3);
  expect(outOfScope.err).toContain('does not include list_directory');

  const { devices } = JSON.parse((await runCli(desk, ['pair', 'list', '--json'])).out) as { devices: { id: string }[] };
  expect((await runCli(desk, ['pair', 'revoke', devices[0]?.id.slice(0, 8) ?? ''])).code).toBe(0);
  await expect.poll(async () => (await runCli(away, read)).err).toContain('may not use the session');

  // Private keys lie in files of their owner alone, and nowhere in the projects.
  for (const place of [host, desk, away]) expect(await readdir(place.folder)).toEqual(place === desk ? ['a.txt'] : []);
  const keys = join(desk.environment['XDG_CONFIG_HOME'] ?? '', 'synapse', 'keys', 'device.json');
  expect((await stat(keys)).mode & 0o777).toBe(0o600);
  const { sign } = JSON.parse(await readFile(keys, 'utf8')) as { sign: string };
  expect([...relay.lines, ...machine.lines, ...pairing.lines].join('\n')).not.toContain(sign);
});
