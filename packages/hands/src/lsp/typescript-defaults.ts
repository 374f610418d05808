import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, type ParseError } from 'jsonc-parser';
import * as z from 'zod';
import { isSynapseError } from '@synapse/protocol';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { readRegular } from '../workspace/read-regular.ts';
import type { CheckedText } from './checked-text.ts';

/** The first major version with the defaults of the language server, which is of TypeScript 7. */
const NEW_DEFAULTS_MAJOR = 6;
/** What these options are by default before {@link NEW_DEFAULTS_MAJOR}. Without them, right code of such a project has errors. */
const OLD_DEFAULTS = { types: ['*'], strict: false, noUncheckedSideEffectImports: false };
/** A file that is only in the server's memory. */
const DEFAULTS_NAME = '.synapse-typescript-defaults.json';
const CONFIG_NAME = /^tsconfig(?:\.[\w.-]+)?\.json$/u;
const MAX_BYTES = 1024 * 1024;
/** Maximum number of configuration files of one folder. */
const MAX_CONFIGS = 20;

const manifest = z.object({ version: z.string() });
const config = z.looseObject({ extends: z.union([z.string(), z.array(z.string())]).optional() });

/** Whether a project has a TypeScript with the old defaults; undefined if none is installed in this folder. */
function hasOldDefaults(folder: PinnedDirectory): boolean | undefined {
  const found = readRegular(folder.at('node_modules/typescript/package.json'), MAX_BYTES);
  if (found === undefined) return undefined;
  const read = manifest.safeParse(parse(found.bytes.toString()));
  return read.success ? Number(read.data.version.split('.')[0]) < NEW_DEFAULTS_MAJOR : undefined;
}

/** Returns a configuration that begins with the old defaults, so that whatever it extends or says replaces them; undefined for a faulty one. */
export function withOldDefaults(text: string, defaults: string): string | undefined {
  const errors: ParseError[] = [];
  const read = config.safeParse(parse(text, errors, { allowTrailingComma: true }));
  if (!read.success || errors.length > 0) return undefined;
  return JSON.stringify({ ...read.data, extends: [defaults, ...[read.data.extends ?? []].flat()] });
}

/** The folders from the root to that of a file, closed by the stack. Ends at a folder that is gone. */
function foldersTo(path: string, open: () => PinnedDirectory, stack: DisposableStack): { prefix: string; folder: PinnedDirectory }[] {
  const folders = [{ prefix: '', folder: stack.use(open()) }];
  for (const name of path.split('/').slice(0, -1)) {
    const last = folders.at(-1);
    if (last === undefined) break;
    try {
      folders.push({ prefix: `${last.prefix}${name}/`, folder: stack.use(last.folder.child(name)) });
    } catch (error) {
      if (!isSynapseError(error)) throw error;
      break;
    }
  }
  return folders;
}

/**
 * The configurations that a file may belong to, with the defaults of the TypeScript that its project has, and those defaults. Empty if
 * the server has the same ones. The server takes them in place of the files.
 *
 * @param root the real path of the workspace
 * @param hides whether a path must not be read
 */
export function configsWithOldDefaults(
  path: string,
  {
    root,
    directory,
    hides = () => false,
  }: { readonly root: string; readonly directory: () => PinnedDirectory; readonly hides?: (path: string) => boolean },
): CheckedText[] {
  using stack = new DisposableStack();
  const folders = foldersTo(path, directory, stack);
  const nearest = folders.toReversed().map(({ folder }) => hasOldDefaults(folder));
  if (nearest.find((old) => old !== undefined) !== true) return [];
  const defaults = join(root, DEFAULTS_NAME);
  const configs = folders.flatMap(({ prefix, folder }) =>
    readdirSync(folder.self)
      .filter((name) => CONFIG_NAME.test(name) && !hides(`${prefix}${name}`))
      .slice(0, MAX_CONFIGS)
      .flatMap((name) => {
        const bytes = readRegular(folder.at(name), MAX_BYTES)?.bytes;
        const text = bytes === undefined ? undefined : withOldDefaults(bytes.toString(), defaults);
        return text === undefined ? [] : [{ path: `${prefix}${name}`, language: 'json', text }];
      }),
  );
  return configs.length === 0 ? [] : [{ path: DEFAULTS_NAME, language: 'json', text: JSON.stringify({ compilerOptions: OLD_DEFAULTS }) }, ...configs];
}
