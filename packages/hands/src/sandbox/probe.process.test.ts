import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { findBubblewrap, readBubblewrap } from './find-bubblewrap.ts';
import { findLandlock } from './landlock/find-landlock.ts';
import { openSandbox } from './open-sandbox.ts';
import { hasOwnPidMax } from './process-count.ts';
import { tryRun } from './try-run.ts';
import { probeSandbox } from './probe.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { LocalProcesses } from '../process/local-processes.ts';

it.each([
  ['bubblewrap 0.4.1\n', { version: '0.4.1', followsLinks: true, usable: false }],
  ['bubblewrap 0.8.0\n', { version: '0.8.0', followsLinks: true, usable: true }],
  ['bubblewrap 0.11.3', { version: '0.11.3', followsLinks: true, usable: true }],
  ['bubblewrap 0.12.0', { version: '0.12.0', followsLinks: false, usable: true }],
  ['bubblewrap 1.0', { version: '1.0', followsLinks: false, usable: true }],
  ['something else', undefined],
])('reads %j', (output, expected) => {
  const found = readBubblewrap('/usr/bin/bwrap', output);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
});

it.each([
  ['6.13.9', false],
  ['6.14.0-rc1', true],
  ['6.18.44', true],
  ['5.99.0', false],
  ['7.0.1', true],
])('a table of processes of its own on Linux %s: %s', (version, expected) => {
  expect(hasOwnPidMax(version)).toBe(expected);
});

it.skipIf((await findBubblewrap())?.usable !== true)('finds that all works which the tests of the sandbox need', async () => {
  const checks = await probeSandbox();
  expect(checks.map(({ name, ok }) => ({ name, ok }))).toEqual([
    { name: 'sandbox', ok: true },
    { name: 'landlock', ok: !('problem' in (await findLandlock())) },
    { name: 'view', ok: true },
    { name: 'dry runs', ok: true },
    { name: 'limits', ok: true },
    { name: 'launcher', ok: true },
  ]);
  expect(checks[2]?.detail).toMatch(/^commands see the workspace, \/usr, .*nothing else of this machine$/u);
  expect(checks[0]?.detail).toMatch(/^bubblewrap [\d.]+ works, and cuts commands off from the network/u);
});

it('tries by running, and says what was said where that fails', async () => {
  expect(await tryRun('/bin/sh', ['-c', 'exit 0'])).toEqual({ worked: true, message: '' });
  expect(await tryRun('/bin/sh', ['-c', 'echo first >&2; echo second >&2; exit 3'])).toEqual({ worked: false, message: 'first' });
  expect(await tryRun('/nowhere/program', [])).toMatchObject({ worked: false, message: expect.stringContaining('ENOENT') as string });
});

it('runs without a sandbox only where that was said, and says so', async () => {
  await using place = await temporaryHands();
  using confinement = new HandleConfinement(place.folder);
  const processes = new LocalProcesses();
  await using open = await openSandbox('none', { processes, confinement, policy: {}, quarantineFolder: place.outside });
  const outcome = await open.run({
    argv: ['true'],
    cwd: () => confinement.openDirectory([]),
    onOutput: () => {},
    signal: AbortSignal.timeout(5_000),
  });
  expect(outcome).toMatchObject({ exitCode: 0, sandbox: 'none', quarantined: [] });
});

it.runIf(process.env['CI'] !== undefined && process.platform === 'linux')('is there in CI, where its tests must not be skipped', async () => {
  expect(await findBubblewrap()).toMatchObject({ usable: true });
});
