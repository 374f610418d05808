import { hasTrueTrees } from '../git-format/cached-trees.ts';
import { readIndex, type IndexedFile, type ReadIndex } from '../git-format/read-index.ts';
import { joinParts } from '../git-format/split-index.ts';
import { INDEX_HEADER_BYTES } from '../git-format/visit-index.ts';
import { foldBytes } from './protected-places.ts';

/** Maximum bytes of an index: about two million files. */
export const MAX_JUDGED_INDEX_BYTES = 256 * 1024 * 1024;
/** Of objects and sums: SHA-1, SHA-256. */
const SUM_BYTES = [20, 32] as const;
const FOLDER_MODE = 0o40000;
/** What may be a name that git does not check out; nearly none are. */
const SUSPECT = /(?:^|\/)(?:\.{0,2}(?:\/|$)|\.git|git~)|[^\0-\x7f]/iu;

/**
 * Whether a name leads out of the working tree, or into a repository. git refuses it wherever it adds one, but not in an index that it finds:
 * `git checkout .` writes the file there.
 */
function leadsElsewhere({ name, mode }: IndexedFile): boolean {
  if (!SUSPECT.test(name)) return false;
  const path = mode === FOLDER_MODE && name.endsWith('/') ? name.slice(0, -1) : name;
  return path.split('/').some((part) => part === '' || part === '.' || part === '..' || foldBytes(part) === '.git');
}

/** Whether the tables by which git reads an index in parts lead to what it reads without them. */
function fitsTables({ files, end, extensions }: ReadIndex): boolean {
  return extensions.every(([name, content]) => {
    if (name === 'EOIE') return content.length >= 4 && content.readUInt32BE(0) === end;
    if (name !== 'IEOT') return true;
    if (content.length < 4 || content.length % 8 !== 4) return false;
    let next = 0;
    for (let at = 4; at < content.length; at += 8) {
      if (files[next]?.start !== content.readUInt32BE(at)) return false;
      next += content.readUInt32BE(at + 4);
    }
    return next === files.length;
  });
}

/** Returns the shared part of a split index, by its name; undefined if there is none. */
export type SharedPart = (name: string) => Buffer | undefined;

/** The files of an index, with those of its shared part; undefined if the parts do not fit. */
function allFiles(index: ReadIndex, readShared: SharedPart): readonly IndexedFile[] | undefined {
  const { files, extensions, sumBytes } = index;
  const links = extensions.flatMap(([name, content]) => (name === 'link' ? [content] : []));
  const [link] = links;
  if (link === undefined) return files;
  if (links.length > 1 || link.length < sumBytes) return undefined;
  const sum = link.subarray(0, sumBytes);
  // Without a shared part, it is whole.
  if (sum.every((byte) => byte === 0)) return files;
  const bytes = readShared(`sharedindex.${sum.toString('hex')}`);
  const shared = bytes && readIndex(bytes, sumBytes);
  return shared && joinParts(index, link, shared);
}

function problemIn(index: ReadIndex, readShared: SharedPart): string | undefined {
  const { extensions, sumBytes } = index;
  const files = allFiles(index, readShared);
  if (files === undefined || !fitsTables(index)) return UNCLEAR;
  if (files.some(leadsElsewhere)) return 'git checkout would write files outside of the working tree, or into its repository';
  const isFalse = extensions.some(([name, content]) => name === 'TREE' && !hasTrueTrees(content, { files, sumBytes }));
  return isFalse ? 'the next commit could have other files than git status shows' : undefined;
}

const UNCLEAR = 'git could read other files in it than are seen in it';

/** Why an index makes git write or commit something that no list of changes shows; undefined if it does not, or if git reads none in it. */
export function indexProblem(bytes: Buffer, readShared: SharedPart = () => undefined): string | undefined {
  if (bytes.length < INDEX_HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const read = SUM_BYTES.flatMap((sumBytes) => {
    const index = readIndex(bytes, sumBytes);
    return index === undefined ? [] : [problemIn(index, readShared)];
  });
  return read.length === 0 ? UNCLEAR : read.find((problem) => problem !== undefined);
}

/** The names of the files in an index that git does not look at; empty if it cannot be read. */
export function skippedFiles(bytes: Buffer, readShared: SharedPart = () => undefined): ReadonlySet<string> {
  const files = SUM_BYTES.flatMap((sumBytes) => {
    const index = readIndex(bytes, sumBytes);
    return (index && allFiles(index, readShared)) ?? [];
  });
  return new Set(files.flatMap(({ name, isSkipped }) => (isSkipped ? [name] : [])));
}
