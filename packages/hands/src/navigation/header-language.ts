import { dirname, join } from 'node:path/posix';
import { isSynapseError } from '@synapse/protocol';
import type { ServerRow } from '../lsp/server-table.ts';
import type { EditedFile } from './edited-file.ts';
import { escaped } from './mentions.ts';
import type { NavigationUse } from './navigation-use.ts';
import type { Untouched } from './rename-plan.ts';
import type { SourceFile } from './source.ts';

/** What tells a server how each file is compiled. */
const DATABASES = ['compile_commands.json', 'build/compile_commands.json', 'compile_flags.txt'];
const CPP = '**/*.{cc,cpp,cxx,hh,hpp,hxx,mm}';

/** The command by which a header is read as C. It is never run: a server takes the language from it. */
export const AS_C = ['clang', '-xc-header'] as const;

const isHeader = (path: string): boolean => /\.h$/iu.test(path);

function has(path: string, { workspace }: NavigationUse): boolean {
  try {
    return workspace.describe(path).type === 'file';
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return false;
  }
}

/**
 * Whether headers are C: nothing tells the server how files are compiled, and nothing is C++. It takes them for C++ then, where a function is another
 * one than that of the same name in C.
 */
export async function areHeadersC(path: string, { guessesHeaders }: ServerRow, use: NavigationUse): Promise<boolean> {
  if (guessesHeaders !== true) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (DATABASES.some((name) => has(join(folder, name), use))) return false;
    if (folder === '.' || folder === '/') break;
  }
  const found = await use.search.files({ globs: [CPP], path: '.', hidden: false, ignore: true, limit: 1 }, use.workspace, use.signal);
  return found.files.length === 0;
}

/** The command for a file, if the server is to read it as C. */
export const commandOf = (path: string, isC: boolean): { readonly command?: readonly string[] } => (isC && isHeader(path) ? { command: AS_C } : {});

/** Declarations in headers that edited files include: the same symbol, whatever language the server takes a header for. */
export function headerLeftOut(
  name: string,
  untouched: readonly Untouched[],
  edited: readonly EditedFile[],
  files: readonly SourceFile[],
  { guessesHeaders }: ServerRow,
): readonly string[] {
  if (guessesHeaders !== true) return [];
  const word = escaped(name);
  const prototype = new RegExp(String.raw`^\s*(?!return\b|typedef\b|#)(?:[\w*\s]*[\s*])?${word}\s*\(|^\s*extern\b[^(]*\b${word}\b`, 'u');
  return untouched.flatMap(({ path, line, as }) => {
    const header = as === 'code' && /\.h(?:h|pp|xx)?$/iu.test(path) ? files.find((file) => file.path === path) : undefined;
    if (header === undefined || !prototype.test(header.lines[line - 1] ?? '')) return [];
    const included = new RegExp(String.raw`^[ \t]*#[ \t]*include[ \t]*["<](?:[^">\n]*/)?${escaped(path.slice(path.lastIndexOf('/') + 1))}[">]`, 'mu');
    return edited.some(({ source }) => source.path !== path && included.test(source.text)) ? [`${path}:${line}`] : [];
  });
}
