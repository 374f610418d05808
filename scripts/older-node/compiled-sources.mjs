// Where the sources that are compiled for Node 22 lie.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const compiledSources = join(root, 'node_modules', '.synapse', 'older-node');
export const USING_FILE = join(compiledSources, 'using.mjs');
export const START_FILE = join(compiledSources, 'start.mjs');

/** Returns the compiled file of a source. */
export const compiledFile = (source) => join(compiledSources, `${relative(root, source)}.js`);
