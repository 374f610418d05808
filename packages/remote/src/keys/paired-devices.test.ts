import { createDevice, deviceId } from '@synapse/protocol/remote';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workspaceName } from '../workspace-name.ts';
import { PairedDevices, type ProjectGrant } from './paired-devices.ts';

const { identity: one } = await createDevice();
const { identity: two } = await createDevice();

/** Grants in folders that are there. */
function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-grants-')));
  const paired = new PairedDevices(join(base, 'config'));
  const folder = (name: string): string => {
    const made = join(base, name);
    mkdirSync(made, { recursive: true });
    return made;
  };
  const grant = (identity: string, name: string, change: Partial<ProjectGrant> = {}): ProjectGrant => ({
    identity,
    name: 'd',
    role: 'brain',
    tools: ['*'],
    approves: [],
    maxRunning: 1,
    expires: 1,
    session: 's',
    workspace: folder(name),
    ...change,
  });
  const all = (identity: string): unknown => {
    const found = paired.grantsAcross('s', () => true).get(deviceId(identity));
    return [found?.home, ...(found?.workspaces?.keys() ?? [])];
  };
  return { base, paired, folder, grant, all };
}

it('a device has the folder that it was paired with, and further ones; the first stays its home until it is taken away', () => {
  const { paired, grant, folder, all } = place();
  paired.add(grant(one, 'x/api'));
  paired.add(grant(one, 'x/web'));
  paired.add(grant(two, 'x/web'));
  expect([all(one), all(two)]).toEqual([
    ['api', 'api', 'web'],
    ['web', 'web'],
  ]);
  // Changed, not moved.
  paired.add(grant(one, 'x/api', { tools: ['read_file'] }));
  expect(all(one)).toEqual(['api', 'api', 'web']);
  paired.revoke(({ project }) => project === 'api');
  expect(all(one)).toEqual([undefined, 'web']);
  // Who serves one folder serves it to calls that name none.
  expect(paired.grantsFor('s', folder('x/web')).get(deviceId(one))).toMatchObject({ home: 'web' });
  paired.add(grant(one, 'x/docs'));
  expect(all(one)).toEqual(['docs', 'web', 'docs']);
});

it('a name belongs to one folder for good, whatever case it has', () => {
  const { paired, grant, all } = place();
  paired.add(grant(one, 'x/api'));
  paired.add(grant(one, 'y/API'));
  expect(all(one)).toEqual(['api', 'api', 'API-2']);
  paired.revoke(() => true);
  paired.add(grant(two, 'z/api'));
  expect(all(two)).toEqual(['api-3', 'api-3']);
  paired.add(grant(two, 'x/api'));
  expect(all(two)).toEqual(['api-3', 'api-3', 'api']);
});

it('grants of an earlier version work in the folder that they were made with', () => {
  const { base, paired, grant, all } = place();
  const before = (grants: readonly ProjectGrant[]): void => {
    mkdirSync(join(base, 'config', 'remote'), { recursive: true, mode: 0o700 });
    writeFileSync(join(base, 'config', 'remote', 'grants.json'), JSON.stringify(grants), { mode: 0o600 });
  };
  before([grant(one, 'x/api'), grant(two, 'x/api'), grant(two, 'y/api')]);
  expect(all(one)).toEqual(['api', 'api']);
  // Which of two was the first is not known.
  expect(all(two)).toEqual([undefined, 'api', 'api-2']);
  paired.add(grant(one, 'x/web', { home: false }));
  expect(all(one)).toEqual(['api', 'api', 'web']);
});

it.each([
  ['/home/me/api', 'api'],
  ['/home/me/My Project; rm -rf', 'My-Project-rm--rf'],
  ['/home/me/..', 'workspace'],
  ['/', 'workspace'],
  ['/home/me/.config', 'config'],
  ['/home/me/a\u0308rger', 'ärger'],
  [`/home/me/${'x'.repeat(300)}`, 'x'.repeat(60)],
])('the name of %s is %s', (root, name) => {
  expect(workspaceName(root)).toBe(name);
  expect(workspaceName(root, [name.toUpperCase()])).toBe(`${name}-2`);
});
