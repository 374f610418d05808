// Replaces `node:sqlite` in the bundles: a Node without it cannot link the import, and fails with an error that
// names no version. The check that scripts/bundle.mjs adds says what is needed.
import type * as sqlite from 'node:sqlite';

const found: typeof sqlite | undefined = process.getBuiltinModule('node:sqlite');
if (found === undefined) throw new Error(`This build of Node ${process.version} has no node:sqlite. Install one from https://nodejs.org.`);

export const { DatabaseSync, StatementSync, constants, backup } = found;
