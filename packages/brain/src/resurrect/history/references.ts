/** A branch or tag with its location. */
export interface Reference {
  readonly name: string;
  readonly path: string;
  /** Set for a line of packed-refs. */
  readonly line?: number;
  /** Milliseconds since 1970, if the file system provides it. */
  readonly modified?: number;
}

/** Names that are safe as a revision argument: no option, range, reflog or glob. */
const PLAIN_NAME = /^[A-Za-z0-9_](?:[\w+#-]|[./](?![./]))*$/u;

/** Folder of branches in git's data. */
export const BRANCHES = '.git/refs/heads/';
export const TAGS = '.git/refs/tags/';

/** Returns the references among files of the git folder. */
export function looseReferences(files: readonly { path: string; modified: number }[], prefix: string): Reference[] {
  return files.flatMap(({ path, modified }) => {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : '';
    return PLAIN_NAME.test(name) ? [{ name, path, modified }] : [];
  });
}

/** Parses packed-refs, where git eventually moves references. `firstLine` is the line number of the first given line. */
export function packedReferences(text: string, path: string, firstLine: number, kind: 'heads' | 'tags'): Reference[] {
  return text.split('\n').flatMap((line, index) => {
    const name = new RegExp(`^[0-9a-f]{40,64} refs/${kind}/(.+)$`, 'u').exec(line.trimEnd())?.[1] ?? '';
    return PLAIN_NAME.test(name) ? [{ name, path, line: firstLine + index }] : [];
  });
}

const VERSION = /(?:^|[^\d.])(\d+)\.(\d+)(?:\.(\d+))?(-[\w.]+)?$/u;

/** Returns the tag with the highest version; a final version ranks above its pre-releases. */
export function latestRelease(tags: readonly Reference[]): Reference | undefined {
  const versions = tags.flatMap((tag) => {
    const match = VERSION.exec(tag.name);
    return match === null ? [] : [{ tag, numbers: [match[1], match[2], match[3] ?? '0'].map(Number), isFinal: match[4] === undefined }];
  });
  versions.sort(
    (a, b) => a.numbers.reduce((order, number, index) => order || (b.numbers[index] ?? 0) - number, 0) || Number(b.isFinal) - Number(a.isFinal),
  );
  return versions[0]?.tag;
}
