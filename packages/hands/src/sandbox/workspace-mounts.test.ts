import { mkdtempSync, rmSync } from 'node:fs';
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
  rmSync(folder, { recursive: true });
});

function mountsOf(findings: readonly PlaceFinding[]) {
  using root = confinement.openDirectory([]);
  return workspaceMounts(findings, { root, rootPath: folder, writable: true, closed: NOTHING_CLOSED, sockets: [], approvedReads: new Set() });
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
