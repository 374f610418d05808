// Module hooks: where a source is imported, its compiled file is loaded.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledFile, USING_FILE } from './compiled-sources.mjs';

export async function resolve(specifier, context, next) {
  if (specifier === '@oxc-project/runtime/helpers/usingCtx') return { url: pathToFileURL(USING_FILE).href, shortCircuit: true };
  return await next(specifier, context);
}

export async function load(url, context, next) {
  const compiled = url.startsWith('file:') && /\.ts(?:\?|$)/u.test(url) ? compiledFile(fileURLToPath(url)) : undefined;
  if (compiled === undefined || !existsSync(compiled)) return await next(url, context);
  return { format: 'module', source: await readFile(compiled, 'utf8'), shortCircuit: true };
}
