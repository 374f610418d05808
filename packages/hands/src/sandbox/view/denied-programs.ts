import { basename } from 'node:path';
import type { Mount } from '../bubblewrap-arguments.ts';
import { follow, type Tree } from './tree.ts';

// Loaded only where a rule denies a program as a whole.

/** What is needed to find programs. */
export interface ProgramFacts {
  readonly tree: Tree;
  /** The folders of PATH. */
  readonly folders: readonly string[];
  /** Whether commands see a file. */
  readonly isShown: (path: string) => boolean;
}

/** Programs under many names. Without the file, none of the others would run. */
const MANY_IN_ONE: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils', 'rustup', 'box64', 'snap', 'flatpak']);
/** Folders with parts of a program that do what it does. */
const PARTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({ git: ['/usr/lib/git-core', '/usr/libexec/git-core'] }),
);
/** Folders of programs that are not always in PATH (Filesystem Hierarchy Standard 3.0). */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/local/sbin', '/usr/games', '/snap/bin'];
/** Debian Policy 3.9.1: what a name such as `awk` stands for on this machine. */
const ALTERNATIVES = '/etc/alternatives/';
/** The sandbox itself starts each command with it. */
const NEEDED = '/bin/sh';

/** Whether a file has the name of a program, with a version or an extension: `python3.13`, `vim.basic`, `npm-cli.js`. */
function isNamed(file: string, program: string): boolean {
  return file.startsWith(program) && /^(?:[-.\d]|$)/u.test(file.slice(program.length));
}

interface Search extends ProgramFacts {
  readonly places: readonly string[];
  /** What no command may lack. */
  readonly needed: string | undefined;
}

/** The files that are masked for a program under one of its paths. */
function filesOf(path: string, name: string, { tree, isShown, places, needed }: Search): readonly string[] {
  const found = follow(tree, path);
  if (found?.kind !== 'file' || found.real === needed || !isShown(found.real)) return [];
  const isItself = [...found.links.keys()].some((link) => link.startsWith(ALTERNATIVES)) || isNamed(basename(found.real), name);
  if (MANY_IN_ONE.has(basename(found.real)) || (!isItself && isShared(found.real, name, places, tree))) return [];
  return [found.real, ...otherNames(found.real, name, places, tree)];
}

/**
 * Mounts that keep commands from opening programs, by whatever name and program they would be started: their names in PATH and in the
 * folders of the system, their hard links there, and the files that these lead to. Not a file that other programs share, nor the shell that runs commands.
 *
 * @param programs names of programs, or absolute paths
 */
export function programMasks(programs: readonly string[], facts: ProgramFacts): Mount[] {
  const { tree, folders, isShown } = facts;
  const places = [...new Set([...folders, ...SYSTEM_FOLDERS])];
  const search: Search = { ...facts, places, needed: follow(tree, NEEDED)?.real };
  const masks = new Map<string, Mount>();
  for (const program of programs) {
    const name = basename(program);
    for (const path of program.startsWith('/') ? [program] : places.map((folder) => `${folder}/${name}`))
      for (const file of filesOf(path, name, search)) masks.set(file, { kind: 'masked-file', path: file });
    for (const folder of PARTS.get(name) ?? []) {
      const found = follow(tree, folder);
      if (found?.kind === 'folder' && isShown(found.real)) masks.set(found.real, { kind: 'masked-folder', path: found.real });
    }
  }
  return [...masks.values()];
}

/** Other hard links to a file, under names of the same program: a mask only covers one name. */
function otherNames(file: string, program: string, folders: readonly string[], tree: Tree): string[] {
  const entry = tree.look(file);
  if (entry?.kind !== 'file' || entry.shared === undefined) return [];
  const { shared } = entry;
  const isSame = (path: string): boolean => {
    const other = tree.look(path);
    return other?.kind === 'file' && other.shared === shared;
  };
  const real = new Set(folders.flatMap((folder) => follow(tree, folder)?.real ?? []));
  return [...real].flatMap((folder) =>
    tree
      .names(folder)
      .flatMap((name) => (isNamed(name, program) && `${folder}/${name}` !== file && isSame(`${folder}/${name}`) ? [`${folder}/${name}`] : [])),
  );
}

/** Whether other names lead to a file, so that it is other programs as well. */
function isShared(file: string, program: string, folders: readonly string[], tree: Tree): boolean {
  return folders.some((folder) =>
    tree.names(folder).some((name) => {
      const path = `${folder}/${name}`;
      return !isNamed(name, program) && tree.look(path)?.kind === 'link' && follow(tree, path)?.real === file;
    }),
  );
}

/** How programs report a file that they may not start. */
const CLOSED_SIGN = /Permission denied|\bEACCES\b|cannot execute|not found/iu;

/** Why a command could not start a program. */
export function explainPrograms(said: string, programs: readonly string[]): string[] {
  const lines = said.split('\n').filter((line) => CLOSED_SIGN.test(line));
  return programs
    .filter((program) => lines.some((line) => line.split(/[\s:'"`,()[\]‘’]+/u).some((word) => basename(word) === basename(program))))
    .map((program) => `a rule denies ${basename(program)}, so no command can start it`);
}
