import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDES = readdirSync(join(ROOT, 'docs'))
  .filter((name) => /\.(?:md|svg)$/u.test(name))
  .map((name) => `docs/${name}`);
const FILES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...GUIDES,
  ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`),
];

/** Paths of this repository that a text names in code, and the targets of its links. */
function named(text: string, folder: string): string[] {
  const code = [...text.matchAll(/`((?:packages|test|scripts|docs|bench|examples)\/[^`\s]+)`/gu)].map(([, path = '']) => path);
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/gu)].map(([, path = '']) => join(folder, path));
  // A pattern names files that are to be written, or several.
  return [...code, ...links].filter((path) => !/[<*]/u.test(path));
}

it('finds a path that does not exist', () => {
  expect(named('see `packages/none.ts` and [it](none.md)', 'docs')).toEqual(['packages/none.ts', 'docs/none.md']);
  expect(existsSync(join(ROOT, 'packages/none.ts'))).toBe(false);
});

describe.each(FILES)('%s', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');

  it('names files that exist', () => {
    const missing = named(text, dirname(file)).filter((path) => !existsSync(join(ROOT, path)));
    expect(missing).toEqual([]);
  });

  it('sends nobody to a name on npm that is not ours', () => {
    // RELEASING says why, in so many words.
    expect(file === 'RELEASING.md' ? '' : text).not.toMatch(/npx (?:-y )?synapse\b/u);
  });
});

it('the README fits 6 kB', () => {
  expect(statSync(join(ROOT, 'README.md')).size).toBeLessThanOrEqual(6_000);
});

it('every guide is linked from the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  for (const guide of GUIDES) expect(readme).toContain(`(${guide})`);
});
