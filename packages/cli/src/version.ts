import { createRequire } from 'node:module';

/** The version of this package. */
export function readVersion(): string {
  // By its name: how far this file lies below the package differs from build to build.
  const { version } = createRequire(import.meta.url)('synapse/package.json') as { version: unknown };
  return String(version);
}
