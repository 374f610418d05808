// The packages that others import, and their entries.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

/** In dependency order: each after the ones it depends on. */
export const LIBRARIES = ['protocol', 'hands', 'mcp-server', 'brain', 'remote', 'console'];

/** Returns the entries of a package by file name without suffix: `index` and its subpaths. */
export function entryNames(name) {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => (path === '.' ? 'index' : path.slice('./'.length)));
}
