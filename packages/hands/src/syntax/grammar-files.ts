import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { SynapseError } from '@synapse/protocol';

/** The folder of the grammars beside the bundle. Sources have none: they take the packages that the build takes. */
const FOLDER = new URL('grammars/', import.meta.url);
const PACKAGES = { runtime: 'web-tree-sitter/web-tree-sitter.wasm', grammars: '@vscode/tree-sitter-wasm/wasm/tree-sitter-' } as const;

/** Reads a WebAssembly module of ours: it never comes from the workspace. */
async function wasm(name: string, module: string): Promise<Uint8Array> {
  const packed = new URL(`${name}.wasm.br`, FOLDER);
  try {
    if (existsSync(packed)) return await promisify(brotliDecompress)(await readFile(packed));
    return await readFile(createRequire(import.meta.url).resolve(module));
  } catch (error) {
    throw new SynapseError('unavailable', `The grammar ${name} of this installation cannot be read.`, {
      hint: 'Install Synapse again.',
      cause: error,
    });
  }
}

/** The runtime of all grammars. */
export const runtimeBytes = async (): Promise<Uint8Array> => await wasm('runtime', PACKAGES.runtime);

/** A grammar, by its name. */
export const grammarBytes = async (name: string): Promise<Uint8Array> => await wasm(name, `${PACKAGES.grammars}${name}.wasm`);
