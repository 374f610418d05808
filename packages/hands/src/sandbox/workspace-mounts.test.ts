import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { NOTHING_CLOSED } from './closed-places.ts';
import type { PlaceFinding } from './finding.ts';
import { workspaceMounts } from './workspace-mounts.ts';

let folder: string;
let confinement: HandleConfinement;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'synapse-mounts-'));
  confinement = new HandleConfinement(folder);
});
afterAll(() => {
  confinement[Symbol.dispose]();
});

function mountsOf(findings: readonly PlaceFinding[]) {
  using root = confinement.openDirectory([]);
  return workspaceMounts(findings, {
    root,
    rootPath: folder,
    writable: true,
    closed: NOTHING_CLOSED,
    sockets: [],
    approvedReads: new Set(),
    shown: ['/far'],
  });
}
const outside = (path: string): PlaceFinding => ({ path, kind: 'denied', isFolder: false, behindLink: 'outside' });

it('refuses what would be too many mounts', () => {
  const places = Array.from({ length: 2_000 }, (_, index) => outside(`/far/${index}`));
  expect(mountsOf(places.slice(1))).toHaveLength(2_000);
  expect(() => mountsOf(places)).toThrow(expect.objectContaining({ code: 'too_large' }));
});

it('starts nothing where a place that is denied cannot be named', () => {
  expect(mountsOf([outside('/far/\u00c3\u00bc')])).toContainEqual({ kind: 'masked-file', path: '/far/\u00fc' });
  expect(() => mountsOf([outside('/far/\u00ff')])).toThrow(expect.objectContaining({ code: 'unavailable' }));
});

it.each(['/usr', '/usr/bin/sh', '/etc/passwd', '/', '/far', '/farther/x'])(
  'hides nothing outside for a link to %s, which commands need or which is not shown',
  (path) => {
    expect(mountsOf([outside(path)])).toHaveLength(1);
  },
);

it('hides neither the workspace nor a folder around it for a link', () => {
  const shown = join(folder, '..', '..', '..').replace(/\/$/u, '');
  using root = confinement.openDirectory([]);
  const options = { root, rootPath: folder, writable: true, closed: NOTHING_CLOSED, sockets: [], approvedReads: new Set<string>(), shown: [shown] };
  const paths = (findings: readonly PlaceFinding[]): string[] => workspaceMounts(findings, options).map(({ path }) => path);
  expect(paths([outside(folder), outside(tmpdir())])).toEqual([folder]);
  // Control: what is beside it is hidden.
  expect(paths([outside(`${tmpdir()}/beside`)])).toEqual([folder, `${tmpdir()}/beside`]);
});
