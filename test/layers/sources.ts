import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sources } from './imports.ts';

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The packages with sources. */
export const PACKAGES = readdirSync(join(ROOT, 'packages')).filter((name) => existsSync(join(ROOT, 'packages', name, 'src')));

/** Reads the sources of a package, without tests and test helpers. */
export function sourcesOf(name: string): Sources {
  const src = join(ROOT, 'packages', name, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/u.test(file) && !/\.test(?:-d)?\.tsx?$|(?:^|\/)(?:fixtures|testing)\//u.test(file));
  return new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));
}
