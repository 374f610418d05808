import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

/** In bytes, as a browser gets it. */
const MAX_BUNDLE = 120_000;

it('is small: the page with all its scripts and styles', async () => {
  const folder = new URL('../../packages/console/dist/bundle/page/', import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:html|css|js)$/u.test(name));
  const sizes = await Promise.all(files.map(async (name) => gzipSync(await readFile(new URL(name, folder))).byteLength));
  expect(files.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BUNDLE);
});
