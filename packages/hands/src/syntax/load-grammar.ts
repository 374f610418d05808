import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { SynapseError } from '@synapse/protocol';
import type * as TreeSitter from 'web-tree-sitter';
import type { Language, Parser } from 'web-tree-sitter';

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

let runtime: Promise<typeof TreeSitter> | undefined;
const languages = new Map<string, Promise<Language>>();

async function start(): Promise<typeof TreeSitter> {
  const tree = await import('web-tree-sitter');
  await tree.Parser.init({ wasmBinary: await wasm('runtime', PACKAGES.runtime) });
  return tree;
}

/** Returns a parser for a language. The caller deletes it. Grammars stay loaded: each takes up to 10 ms. */
export async function parserFor(name: string): Promise<Parser> {
  runtime ??= start().catch((error: unknown) => {
    // The next call tries again: the cause may pass, such as too many open files.
    runtime = undefined;
    throw error;
  });
  const tree = await runtime;
  let language = languages.get(name);
  if (language === undefined) {
    language = wasm(name, `${PACKAGES.grammars}${name}.wasm`).then((bytes) => tree.Language.load(bytes));
    languages.set(name, language);
  }
  const parser = new tree.Parser();
  try {
    parser.setLanguage(await language);
    return parser;
  } catch (error) {
    parser.delete();
    languages.delete(name);
    throw error;
  }
}
