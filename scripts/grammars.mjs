// Writes the grammars of the code tool beside a bundle, compressed: 13 MB of WebAssembly take 0.8 MB.
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './prepare.mjs';

/** The best: it takes half a minute, once, for a tenth less. */
const QUALITY = 11;
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: 24 } };

const hands = createRequire(join(root, 'packages/hands/package.json'));
/** Compressed modules by the hash of their content, because a build happens often and grammars hardly change. */
const cache = join(root, 'node_modules/.synapse/grammars');

/** Returns a module of WebAssembly, compressed. */
export function compressed(module) {
  const bytes = readFileSync(module);
  const kept = join(cache, `${hash('sha256', bytes)}-${QUALITY}.br`);
  if (existsSync(kept)) return readFileSync(kept);
  const packed = brotliCompressSync(bytes, OPTIONS);
  mkdirSync(cache, { recursive: true });
  writeFileSync(kept, packed);
  return packed;
}

/** Writes the runtime and all grammars to `grammars` in a folder. Returns their packages' folders, for the licenses. */
export async function writeGrammars(folder) {
  const { GRAMMARS } = await import(pathToFileURL(join(root, 'packages/hands/dist/syntax/grammar.js')).href);
  const grammars = join(folder, 'grammars');
  mkdirSync(grammars, { recursive: true });
  const modules = [
    ['runtime', hands.resolve('web-tree-sitter/web-tree-sitter.wasm')],
    ...GRAMMARS.map(({ name }) => [name, hands.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`)]),
  ];
  for (const [name, module] of modules) writeFileSync(join(grammars, `${name}.wasm.br`), compressed(module));
  return modules.map(([, module]) => module);
}
