import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { findBubblewrap, readBubblewrap } from './find-bubblewrap.ts';
import { openSandbox } from './open-sandbox.ts';
import { hasOwnPidMax } from './pid-limit.ts';
import { probeSandbox, SANDBOX_CHECKS } from './probe.ts';
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

it('says what works here, and what to do where it does not', async () => {
  const checks = await probeSandbox();
  expect(checks.length).toBeGreaterThan(0);
  for (const { name, status, fix } of checks) {
    expect(SANDBOX_CHECKS).toContain(name);
    if (status !== 'ok') expect(fix).toBeTruthy();
  }
  if ((await findBubblewrap())?.usable === true)
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['bubblewrap', 'namespaces', 'overlay']));
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
  expect(outcome).toMatchObject({ exitCode: 0, sandbox: 'none', sweptAll: false });
});

it.runIf(process.env['CI'] !== undefined && process.platform === 'linux')('is there in CI, where its tests must not be skipped', async () => {
  expect(await findBubblewrap()).toMatchObject({ usable: true });
});
