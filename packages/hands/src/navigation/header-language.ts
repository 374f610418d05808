import { basename, dirname, join } from 'node:path/posix';
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

/** Whether a path is a header that is to be read as C. */
export type IsHeaderC = (path: string) => boolean;

const NONE: IsHeaderC = () => false;
/** Maximum number of lines that include the headers. */
const MAX_INCLUDES = 20_000;

const includes = (names: readonly string[]): string => String.raw`^[ \t]*#[ \t]*include[ \t]*["<](?:[^">\n]*/)?(${names.map(escaped).join('|')})[">]`;

/**
 * Which headers are C: nothing tells the server how files are compiled, and nothing is C++, or no C++ includes a file of that name and C does. It takes
 * them for C++ else, where a function is another one than that of the same name in C.
 *
 * @param paths the files that are opened
 */
export async function headersInC(paths: readonly string[], { guessesHeaders }: ServerRow, use: NavigationUse): Promise<IsHeaderC> {
  const headers = paths.filter(isHeader);
  const [asked] = paths;
  if (guessesHeaders !== true || headers.length === 0 || asked === undefined) return NONE;
  for (let folder = dirname(asked); ; folder = dirname(folder)) {
    if (DATABASES.some((name) => has(join(folder, name), use))) return NONE;
    if (folder === '.' || folder === '/') break;
  }
  const found = await use.search.files({ globs: [CPP], path: '.', hidden: false, ignore: true, limit: 1 }, use.workspace, use.signal);
  if (found.files.length === 0) return isHeader;
  const pattern = includes([...new Set(headers.map((path) => basename(path)))]);
  const request = { pattern, globs: ['**/*.c', CPP], path: '.', literal: false, case: 'sensitive', hidden: false, ignore: true, context: 0 } as const;
  const { matches, stoppedBy } = await use.search.text({ ...request, perFile: undefined, limit: MAX_INCLUDES }, use.workspace, use.signal);
  if (stoppedBy !== undefined) return NONE;
  const line = new RegExp(pattern, 'u');
  const included = { c: new Set<string>(), cpp: new Set<string>() };
  for (const { path, text } of matches) included[path.endsWith('.c') ? 'c' : 'cpp'].add(line.exec(text)?.[1] ?? '');
  return (path) => isHeader(path) && included.c.has(basename(path)) && !included.cpp.has(basename(path));
}

/** The command for a file, if the server is to read it as C. */
export const commandOf = (path: string, isC: IsHeaderC): { readonly command?: readonly string[] } => (isC(path) ? { command: AS_C } : {});

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
