import { isUtf8 } from 'node:buffer';
import { SynapseError } from '@synapse/protocol';
import { displayPath, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { kindOf } from '../workspace/open-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Where a search takes place. */
export interface SearchPlace extends Disposable {
  /** The working directory, held by handle. */
  readonly directory: PinnedDirectory;
  /** What ripgrep is given to search. */
  readonly argument: string;
  /** Whether only the folder's own entries can be wanted. */
  readonly shallow: boolean;
  /** Whether this is one file that was named, which no rule leaves out. */
  readonly isFile: boolean;
  /** The names below the folder that is searched, of a file as ripgrep names it; undefined for what was not asked for. */
  names(found: Buffer): readonly string[] | undefined;
  /** Its path from the workspace root, as any tool takes it. */
  path(found: Buffer): string;
}

const SLASH = 0x2f;

/** A path as ripgrep writes it, without the `./` that the search began at. */
function withoutDot(path: Buffer): Buffer {
  return path[0] === 0x2e && path[1] === SLASH ? path.subarray(2) : path;
}

/** The names in a path as ripgrep writes it. */
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
  // An argument of a process is text: a name that is none is found by going through its folder.
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

/** Opens the place that a path names: a folder, a file, or a stored output by its handle. */
export function openPlace(workspace: Workspace, path: string): SearchPlace {
  const spill = workspace.spillPath(path);
  if (spill !== undefined) {
    // Only to say so where it is gone.
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
  const parent = workspace.openDirectory(displayPath(location.slice(0, -1)));
  return filePlace(parent, name, displayPath(location), `./${String(name)}`);
}

/** Opens a folder further down, where it is there under just these names; links are not followed. */
export function openBelow(workspace: Workspace, place: SearchPlace, names: readonly string[]): SearchPlace | undefined {
  const location = [...place.directory.location, ...names];
  let directory: PinnedDirectory;
  try {
    directory = workspace.openDirectory(displayPath(location));
  } catch {
    // Whatever the reason, there is nothing to be found below these names.
    return undefined;
  }
  if (displayPath(directory.location) === displayPath(location)) return folderPlace(directory);
  directory[Symbol.dispose]();
  return undefined;
}
