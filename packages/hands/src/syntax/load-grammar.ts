import type * as TreeSitter from 'web-tree-sitter';
import type { Language, Parser } from 'web-tree-sitter';
import { grammarBytes, runtimeBytes } from './grammar-files.ts';

let runtime: Promise<typeof TreeSitter> | undefined;
const languages = new Map<string, Promise<Language>>();

async function start(): Promise<typeof TreeSitter> {
  const tree = await import('web-tree-sitter');
  await tree.Parser.init({ wasmBinary: await runtimeBytes() });
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
    language = grammarBytes(name).then((bytes) => tree.Language.load(bytes));
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
