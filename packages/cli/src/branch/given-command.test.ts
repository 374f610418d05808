import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { givenCommand } from './given-command.ts';

it('takes a single word that is no program for a line of the shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-given-'));
  mkdirSync(join(folder, 'my tools'));
  writeFileSync(join(folder, 'my tools/check'), '');
  const inShell = (line: string) => ['sh', '-c', line];
  expect(givenCommand(['npm test && npm run lint'], folder)).toEqual(inShell('npm test && npm run lint'));
  expect(givenCommand(['date>made.txt'], folder)).toEqual(inShell('date>made.txt'));
  expect(givenCommand(['npm'], folder)).toEqual(['npm']);
  expect(givenCommand(['npm', 'run', 'a b'], folder)).toEqual(['npm', 'run', 'a b']);
  // A program of the folder in which it runs, whose name has a space.
  expect(givenCommand(['my tools/check'], folder)).toEqual(['my tools/check']);
  expect(givenCommand([join(folder, 'my tools/check')], folder)).toEqual([join(folder, 'my tools/check')]);
});
