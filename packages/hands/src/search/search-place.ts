import { isUtf8 } from 'node:buffer';
import { SynapseError } from '@synapse/protocol';
import { displayPath, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { kindOf } from '../workspace/open-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The folder or file to search. */
export interface SearchPlace extends Disposable {
  /** The working directory, held by handle. */
  readonly directory: PinnedDirectory;
  /** The path argument for ripgrep. */
  readonly argument: string;
  /** Whether only direct entries of the folder can match. */
  readonly shallow: boolean;
  /** Whether this is a single named file, to which no filter applies. */
  readonly isFile: boolean;
  /** Splits the path of a file, as ripgrep reports it, into names below the searched folder; undefined if it was not requested. */
  names(found: Buffer): readonly string[] | undefined;
  /** Returns its path from the workspace root, as the tools accept it. */
  path(found: Buffer): string;
}

const SLASH = 0x2f;

/** Removes the leading `./` from a path of ripgrep. */
function withoutDot(path: Buffer): Buffer {
  return path[0] === 0x2e && path[1] === SLASH ? path.subarray(2) : path;
}

/** Splits a path of ripgrep into names. */
export function splitPath(found: Buffer): Name[] {
  const path = withoutDot(found);
  if (isUtf8(path)) return path.toString().split('/');
  const names: Name[] = [];
  let start = 0;
  for (let end = path.indexOf(SLASH); end !== -1; end = path.indexOf(SLASH, start)) {
    names.push(nameFromBytes(path.subarray(start, end)));
    start = end + 1;
  }
  return [...names, nameFromBytes(path.subarray(start))];
}

function folderPlace(directory: PinnedDirectory): SearchPlace {
  const prefix = directory.location.length === 0 ? '' : `${displayPath(directory.location)}/`;
  return {
    directory,
    argument: './',
    shallow: false,
    isFile: false,
    names: (found) => withoutDot(found).toString().split('/'),
    path: (found) => prefix + displayPath(splitPath(found)),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

function filePlace(directory: PinnedDirectory, name: Name, path: string, argument: string): SearchPlace {
  // Process arguments are text. A name that is not text is found by searching its folder.
  const shallow = typeof name !== 'string';
  const wanted = Buffer.from(shallow ? Buffer.concat([Buffer.from('./'), name]) : argument);
  return {
    directory,
    argument: shallow ? './' : argument,
    shallow,
    isFile: true,
    names: (found) => (found.equals(wanted) ? [String(name)] : undefined),
    path: () => path,
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Opens the location of a path: a folder, a file, or a stored output by its handle. */
export function openPlace(workspace: Workspace, path: string): SearchPlace {
  const spill = workspace.spillPath(path);
  if (spill !== undefined) {
    // Opened only to report an error if it is gone.
    using _stored = workspace.openFile(path);
    return filePlace(workspace.openDirectory('.'), path, path, spill);
  }
  using entry = workspace.pin(path);
  const { location, stat } = entry;
  const name = location.at(-1);
  if (stat.isDirectory()) return folderPlace(workspace.openDirectory(path));
  if (!stat.isFile() || name === undefined) {
    throw new SynapseError('wrong_type', `${displayPath(location)} is ${kindOf(stat)}, neither a file nor a folder.`, {
      hint: 'Search a file or a folder.',
    });
  }
  workspace.assertReadable(location);
  return filePlace(workspace.openFolderOf(location), name, displayPath(location), `./${String(name)}`);
}

/** Opens a subfolder if it exists under exactly these names; links are not followed. */
export function openBelow(workspace: Workspace, place: SearchPlace, names: readonly string[]): SearchPlace | undefined {
  const location = [...place.directory.location, ...names];
  let directory: PinnedDirectory;
  try {
    directory = workspace.openDirectory(displayPath(location));
  } catch {
    // For any of these errors, nothing can be found below these names.
    return undefined;
  }
  if (displayPath(directory.location) === displayPath(location)) return folderPlace(directory);
  directory[Symbol.dispose]();
  return undefined;
}
