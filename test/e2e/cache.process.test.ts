import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, runCli, type Outcome, type Place } from './run-cli.ts';

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
if (!hasSandbox) process.stderr.write('TESTS OF CACHES LEFT OUT: bubblewrap does not work here. See `synapse doctor`.\n');

/** A cache that no tool has. */
const CACHE = '~/.cache/synapse-test-cache';

const command = async (place: Place, text: string): Promise<Outcome> =>
  await runCli(place, ['call', 'run_command', JSON.stringify({ command: text }), '--yes']);
const fill = (bytes: number, name = 'x'): string => `sh -c 'mkdir -p ${CACHE}; head -c ${bytes} /dev/urandom > ${CACHE}/${name}'`;

interface Listed {
  readonly budgetBytes: number;
  readonly caches: ReadonlyArray<{ readonly path: string; readonly bytes: number }>;
}
const listed = async (place: Place): Promise<Listed> => JSON.parse((await runCli(place, ['cache', '--json'])).out) as Listed;

/** Another project of the same user. */
async function another(place: Place): Promise<Place> {
  const other = await makePlace();
  return { folder: other.folder, environment: { ...other.environment, XDG_CONFIG_HOME: place.environment['XDG_CONFIG_HOME'] } };
}

/** Sets the configuration of the user. */
function configure(place: Place, text: string): Place {
  const folder = join(place.environment['XDG_STATE_HOME'] ?? '', 'config');
  mkdirSync(join(folder, 'synapse'), { recursive: true });
  writeFileSync(join(folder, 'synapse/config.jsonc'), text);
  return { ...place, environment: { ...place.environment, XDG_CONFIG_HOME: folder } };
}

it.skipIf(!hasSandbox)('shows what commands keep of caches, and deletes it', async () => {
  const place = await makePlace();
  expect(await runCli(place, ['cache'])).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringMatching(/^No caches are kept here, of at most /u) as string,
  });
  expect(await command(place, fill(100_000))).toMatchObject({ code: 0 });
  expect(await runCli(place, ['cache'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/KB? .*1 entry .*\.cache\/synapse-test-cache\n$/u) as string,
    err: expect.stringContaining('synapse cache clear') as string,
  });
  // The user and other projects see nothing of it.
  expect(existsSync(join(homedir(), '.cache/synapse-test-cache'))).toBe(false);
  expect((await command(await another(place), `sh -c 'ls ${CACHE}'`)).code).not.toBe(0);
  expect(await command(place, `sh -c 'test -s ${CACHE}/x'`)).toMatchObject({ code: 0 });
  expect(await runCli(place, ['cache', 'clear'])).toMatchObject({ code: 0, err: 'They are deleted.\n' });
  expect((await listed(place)).caches).toEqual([]);
  expect((await command(place, `sh -c 'ls ${CACHE}'`)).code).not.toBe(0);
  expect(await runCli(place, ['cache', 'clear'])).toMatchObject({ code: 0, err: 'No caches are kept here.\n' });
});

it.skipIf(!hasSandbox)('keeps no more than the configuration says, also of a hostile build, and other projects keep theirs', async () => {
  const place = configure(await makePlace(), '{ "caches": { "maxGiB": 0.001 } }');
  expect(await command(place, fill(500_000))).toMatchObject({ code: 0 });
  expect(await listed(place)).toMatchObject({ budgetBytes: 1_073_741, caches: [{ path: expect.stringContaining('synapse-test-cache') as string }] });
  const other = await another(place);
  expect(await command(other, fill(300_000))).toMatchObject({ code: 0 });
  // It fills a cache of its own: what was there before is given up at most, and the budget holds.
  await command(place, `sh -c 'mkdir -p ~/.cache/flood; for i in 1 2 3 4 5 6 7 8; do head -c 500000 /dev/urandom > ~/.cache/flood/$i; done'`);
  const { budgetBytes, caches } = await listed(place);
  expect(caches.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(budgetBytes);
  expect(caches.map(({ path }) => path).join()).not.toContain('flood');
  expect((await listed(other)).caches).toHaveLength(1);
  expect(await command(other, `sh -c 'test -s ${CACHE}/x'`)).toMatchObject({ code: 0 });
  // Nothing at all, where a person wants that.
  const none = configure(await makePlace(), '{ "caches": { "maxGiB": 0 } }');
  await command(none, fill(100_000));
  expect(await listed(none)).toEqual({ budgetBytes: 0, caches: [] });
});

it.skipIf(!hasSandbox)('keeps no device, no pipe, no right of a set-id file, and a link that leads nowhere else', async () => {
  const place = await makePlace();
  const made = `cp /bin/true s; chmod 6755 s; mkfifo p; ln -s /etc/passwd l; ln -s / root; mknod n c 1 3 2>/dev/null; true`;
  await command(place, `sh -c 'mkdir -p ${CACHE} && cd ${CACHE} && ${made}'`);
  const caches = join(place.environment['XDG_STATE_HOME'] ?? '', 'synapse/caches');
  const layer = join(caches, readdirSync(caches)[0] ?? '', 'home/.cache/synapse-test-cache');
  expect(readdirSync(layer).toSorted()).toEqual(['l', 'root', 's']);
  expect(lstatSync(join(layer, 's')).mode & 0o7000).toBe(0);
  // The next command follows them in its own view only, which shows nothing of the user.
  writeFileSync(join(homedir(), '.synapse-test-secret'), 'secret');
  try {
    const said = await command(place, `sh -c 'cat ${CACHE}/root${homedir()}/.synapse-test-secret; echo x > ${CACHE}/root/etc/synapse-test; true'`);
    expect(said.out).not.toContain('secret\n');
    expect(existsSync('/etc/synapse-test')).toBe(false);
  } finally {
    spawnSync('rm', ['-f', join(homedir(), '.synapse-test-secret')]);
  }
});
