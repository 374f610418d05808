// Joins the compiled modules of each package into a few files: Node takes 0.3 ms to find and load one, and there are
// hundreds. What is imported when it is needed stays apart. Other packages stay outside, found from where they belong.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

/** What each package is entered by, below its `dist`. */
const ENTRIES = {
  protocol: [['index.js']],
  // The last two are programs of their own, and run where no other file can be read or shared.
  hands: [['index.js'], ['sandbox/network/proxy-bridge.js'], ['web/markdown-worker.js']],
  'mcp-server': [['index.js']],
  brain: [['index.js']],
  cli: [['index.js', 'main.js']],
};

/** Small packages of many files, or in CommonJS, that every start needs: joined in as well. None of their values is shared with anybody. */
const JOINED = ['commander', 'ignore', 'jsonc-parser', 'unbash'];
/** ES modules first: some name CommonJS first, for which Node has to guess the exports. */
const MAIN_FIELDS = ['module', 'main'];

/** Their licences want to go where the code goes. */
function notices(folder) {
  return JOINED.map((name) => {
    const home = [join(folder, 'node_modules', name), join(root, 'node_modules', name)].find((path) => existsSync(path));
    const file = readdirSync(home).find((entry) => /^licen[cs]e/iu.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence that could be kept.`);
    return `${name}\n\n${readFileSync(join(home, file), 'utf8')}`;
  }).join('\n\n');
}

for (const [name, builds] of Object.entries(ENTRIES)) {
  const dist = join(root, 'packages', name, 'dist');
  const folder = join(dist, 'bundle');
  rmSync(folder, { recursive: true, force: true });
  for (const entries of builds) {
    const input = entries.map((entry) => join(dist, entry));
    const missing = input.find((file) => !existsSync(file));
    if (missing !== undefined) throw new Error(`${missing} is not there: it was moved, or not compiled.`);
    const bundle = await rolldown({
      input,
      platform: 'node',
      resolve: { mainFields: MAIN_FIELDS },
      external: (id) => !id.startsWith('.') && !isAbsolute(id) && !JOINED.includes(id),
      onLog: (_level, log) => {
        throw new Error(`${name}: ${log.message}`);
      },
    });
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false });
    await bundle.close();
  }
  writeFileSync(join(folder, 'LICENSES.txt'), notices(join(root, 'packages', name)));
}
