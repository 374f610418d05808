import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { keptItems, makePlace, prune } from './quarantine-folder.ts';
import { Quarantine, quarantineFolder } from './quarantine.ts';
import { takeAway } from './take-away.ts';

let root: string;
let state: string;
let quarantine: Quarantine;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-quarantine-')));
  state = mkdtempSync(join(tmpdir(), 'synapse-state-'));
  quarantine = new Quarantine(state, root);
});
afterEach(() => {});

function take(path: string): void {
  using confinement = new HandleConfinement(root);
  takeAway(confinement, quarantineFolder(state, root), [{ path, reason: 'protected', detail: 'npm obeys it', remove: true }]);
}

const only = (): string => quarantine.list()[0]?.id ?? '';

it('tells what was taken away, and puts it back as it was', () => {
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'sub/.npmrc'), 'script-shell=./x', { mode: 0o751 });
  take('sub/.npmrc');
  rmSync(join(root, 'sub'), { recursive: true });
  const [item] = quarantine.list();
  expect(item).toMatchObject({ path: 'sub/.npmrc', reason: 'protected', detail: 'npm obeys it' });
  expect(readFileSync(item?.keptAs ?? '', 'utf8')).toBe('script-shell=./x');
  expect(quarantine.restore(only())).toEqual(item);
  expect(readFileSync(join(root, 'sub/.npmrc'), 'utf8')).toBe('script-shell=./x');
  expect(statSync(join(root, 'sub/.npmrc')).mode & 0o777).toBe(0o751);
  expect(quarantine.list()).toEqual([]);
  expect(readdirSync(quarantineFolder(state, root))).toEqual([]);
});

it('puts back folders and links, and nothing that a link leads to', () => {
  mkdirSync(join(root, '.vscode'));
  writeFileSync(join(root, '.vscode/tasks.json'), '{}');
  take('.vscode');
  quarantine.restore(only());
  expect(readFileSync(join(root, '.vscode/tasks.json'), 'utf8')).toBe('{}');
  symlinkSync('/nowhere', join(root, '.envrc'));
  take('.envrc');
  quarantine.restore(only());
  expect(readlinkSync(join(root, '.envrc'))).toBe('/nowhere');
});

it('puts back no program with the rights of its owner', () => {
  mkdirSync(join(root, '.vscode/deep'), { recursive: true });
  for (const path of ['.envrc', '.vscode/deep/run']) {
    writeFileSync(join(root, path), '');
    chmodSync(join(root, path), 0o6755);
    take(path === '.envrc' ? path : '.vscode');
    quarantine.restore(only());
    expect(statSync(join(root, path)).mode & 0o7777).toBe(0o755);
  }
});

it('writes over nothing', () => {
  writeFileSync(join(root, '.npmrc'), 'old');
  take('.npmrc');
  writeFileSync(join(root, '.npmrc'), 'new');
  expect(() => quarantine.restore(only())).toThrow(/There is a \.npmrc by now/u);
  expect(readFileSync(join(root, '.npmrc'), 'utf8')).toBe('new');
  expect(quarantine.list()).toHaveLength(1);
});

it('does not leave the workspace where a folder became a link', () => {
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'sub/.npmrc'), 'x');
  take('sub/.npmrc');
  rmSync(join(root, 'sub'), { recursive: true });
  const outside = mkdtempSync(join(tmpdir(), 'synapse-outside-'));
  symlinkSync(outside, join(root, 'sub'));
  expect(() => quarantine.restore(only())).toThrow();
  expect(readdirSync(outside)).toEqual([]);
  expect(quarantine.list()).toHaveLength(1);
  rmSync(outside, { recursive: true });
});

it('deletes for good, and knows no other names', () => {
  writeFileSync(join(root, '.npmrc'), 'x');
  take('.npmrc');
  const asks = [(id: string) => quarantine.get(id), (id: string) => quarantine.restore(id), (id: string) => quarantine.discard(id)];
  for (const id of ['', '..', '../..', 'nothing']) for (const ask of asks) expect(() => ask(id)).toThrow(/Nothing is kept as/u);
  expect(quarantine.get(only())).toMatchObject({ path: '.npmrc' });
  quarantine.discard(only());
  expect(quarantine.list()).toEqual([]);
});

it('keeps the names of files that are no text', () => {
  const name = Buffer.from('.npmrc-\u00ff', 'latin1');
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), 'x');
  take('.npmrc-\u00ff');
  expect(quarantine.list()).toMatchObject([{ path: String.raw`.npmrc-\xff` }]);
  quarantine.restore(only());
  expect(readdirSync(root, { encoding: 'buffer' })).toEqual([name]);
});

it('forgets what is old or too much, and leaves what it did not make', () => {
  const folder = quarantineFolder(state, root);
  const kept = (time: string): string => makePlace(folder, { path: 'a', reason: 'protected', detail: '', time });
  const [old, recent] = [kept('2026-01-01T00:00:00.000Z'), kept('2026-05-01T00:00:00.000Z')];
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'file'), 'x');
  prune(folder, Date.parse('2026-05-02T00:00:00.000Z'));
  expect(keptItems(folder).map(({ id }) => id)).toEqual([recent]);
  expect(readdirSync(folder).toSorted()).toEqual([recent, 'file', 'other'].toSorted());
  expect(old).not.toBe(recent);
  for (let second = 0; second < 500; second += 1) kept(new Date(Date.parse('2026-05-01T01:00:00.000Z') + second * 1000).toISOString());
  prune(folder, Date.parse('2026-05-02T00:00:00.000Z'));
  expect(keptItems(folder)).toHaveLength(500);
  expect(keptItems(folder).map(({ id }) => id)).not.toContain(recent);
});
