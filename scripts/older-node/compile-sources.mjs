// Compiles the sources for Node 22, for the programs that tests start there: it reads neither their types nor `using`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { transformSync } from 'rolldown/utils';
import { root } from '../prepare.mjs';
import { compiledFile, compiledSources, START_FILE, USING_FILE } from './compiled-sources.mjs';

const target = 'node22.13';

/** Bundles what compiled files call for `using`, and what is missing in the runtime. */
async function bundleSupport() {
  const helper = '@oxc-project/runtime/helpers/usingCtx';
  const own = {
    name: 'using',
    resolveId: (id) => (id === 'using' ? '\0using' : undefined),
    load: (id) => (id === '\0using' ? `export { default } from '${helper}';` : undefined),
  };
  for (const [input, file] of [
    ['using', USING_FILE],
    [join(root, 'scripts/older-node/install.ts'), START_FILE],
  ]) {
    const bundle = await rolldown({ input, platform: 'node', transform: { target }, plugins: [own] });
    await bundle.write({ file, format: 'esm' });
    await bundle.close();
  }
}

/** Writes each source as JavaScript for Node 22. */
export async function compileSources() {
  rmSync(compiledSources, { recursive: true, force: true });
  await bundleSupport();
  const folders = ['test', 'scripts', ...readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'src'))];
  const found = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)));
  for (const name of found.filter((one) => one.endsWith('.ts') && !/\.(?:test|test-d|d)\.ts$/u.test(one))) {
    const { code, errors } = transformSync(name, readFileSync(join(root, name), 'utf8'), {
      lang: 'ts',
      target,
      typescript: { onlyRemoveTypeImports: true },
    });
    if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
    const file = compiledFile(join(root, name));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}
