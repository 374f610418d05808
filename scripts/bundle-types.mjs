// Bundles the declarations of each library into one file per entry, with only what the entries use.
import { rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { entryNames, LIBRARIES } from './libraries.mjs';
import { root } from './prepare.mjs';

/** Entries that only our own packages use: what their declarations say is in the sources, and would be half of the file. */
const OWN_ENTRIES = new Set(['internal', 'console', 'remote']);

const withoutOwnComments = {
  name: 'without-own-comments',
  renderChunk: (code, { name, isEntry }) => (isEntry && OWN_ENTRIES.has(name) ? compact(code) : undefined),
};

/** People read the sources of these: no comments and no indentation. */
const compact = (code) => code.replaceAll(/^[\t ]*\/\*\*[^]*?\*\/\n/gmu, '').replaceAll(/^(?:[\t ]+|\/\/ packages\/.*\n)/gmu, '');

for (const name of LIBRARIES) {
  const dist = join(root, 'packages', name, 'dist');
  const target = join(dist, 'types');
  rmSync(target, { recursive: true, force: true });
  const bundle = await rolldown({
    input: Object.fromEntries(entryNames(name).map((entry) => [entry, join(dist, `${entry}.d.ts`)])),
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: [dts({ dtsInput: true, tsconfig: false }), withoutOwnComments],
    // A slow machine is not a build error.
    checks: { bundlerTimings: false },
    onLog: (_level, log) => {
      throw new Error(`${name}: ${log.message}`);
    },
  });
  await bundle.write({ dir: target, format: 'esm', chunkFileNames: 'shared-[hash].js' });
  await bundle.close();
}
