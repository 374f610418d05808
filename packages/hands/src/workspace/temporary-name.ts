import { randomBytes } from 'node:crypto';
import type { Name } from './byte-name.ts';

const PATTERN = /^\.synapse-(\d+)-[A-Za-z0-9_-]{12}\.tmp$/u;

/** A name for a file that is being written, beside its place. It tells whose it is, should that process be killed. */
export function temporaryName(): string {
  // Random and not derived from the target: a name such as "<root>.tmp" would lie outside the root.
  return `.synapse-${process.pid}-${randomBytes(9).toString('base64url')}.tmp`;
}

/** The process that a name made by {@link temporaryName} belongs to; undefined for any other name. */
export function temporaryOwner(name: Name): string | undefined {
  return PATTERN.exec(name.toString())?.[1];
}
