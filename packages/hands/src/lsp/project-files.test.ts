import { once } from 'node:events';
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { assertReadable } from './project-files.ts';

const ROW = { manifests: ['tsconfig*.json', 'package.json'] };

let base: string;
let confinement: HandleConfinement;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'synapse-lsp-'));
  mkdirSync(join(base, 'src'));
  confinement = new HandleConfinement(base);
});
afterEach(() => {
  confinement[Symbol.dispose]();
});

const check = (): void => assertReadable(() => confinement.openDirectory([]), ROW, 'src/a.ts');

it('takes files, folders, and nothing at all', () => {
  expect(check).not.toThrow();
  writeFileSync(join(base, 'package.json'), '{}');
  mkdirSync(join(base, 'tsconfig.json'));
  expect(check).not.toThrow();
});

it('names what is no file, in each folder above the source', async () => {
  await using server = createServer();
  await once(server.listen(join(base, 'src/package.json')), 'listening');
  expect(check).toThrow('src/package.json is no regular file, and the language server reads it.');
});

it('names a huge file', () => {
  writeFileSync(join(base, 'tsconfig.json'), '');
  truncateSync(join(base, 'tsconfig.json'), 100 * 1024 * 1024);
  expect(check).toThrow('tsconfig.json is 104.9MB large');
});

it('leaves a link that leads nowhere, or in a circle, to the server, which cannot read it either', () => {
  symlinkSync('tsconfig.json', join(base, 'tsconfig.json'));
  symlinkSync('gone', join(base, 'package.json'));
  expect(check).not.toThrow();
});
