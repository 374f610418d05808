/** A branch or a tag with where it is written. */
export interface Reference {
  readonly name: string;
  readonly path: string;
  /** Present for a line of packed-refs. */
  readonly line?: number;
  /** Milliseconds since 1970, where the file system knows. */
  readonly modified?: number;
}

/** Names that are safe to hand to a tool as a revision: no option, no range, no reflog, no glob. */
const PLAIN_NAME = /^[A-Za-z0-9_](?:[\w+#-]|[./](?![./]))*$/u;

/** Where git keeps references, in its own folder. */
export const BRANCHES = '.git/refs/heads/';
export const TAGS = '.git/refs/tags/';

/** References among files of the git folder. */
export function looseReferences(files: readonly { path: string; modified: number }[], prefix: string): Reference[] {
  return files.flatMap(({ path, modified }) => {
    const name = path.startsWith(prefix) ? path.slice(prefix.length) : '';
    return PLAIN_NAME.test(name) ? [{ name, path, modified }] : [];
  });
}

/** References in packed-refs, where git moves them to in time. `firstLine` is the number of its first line given. */
export function packedReferences(text: string, path: string, firstLine: number, kind: 'heads' | 'tags'): Reference[] {
  return text.split('\n').flatMap((line, index) => {
    const name = new RegExp(`^[0-9a-f]{40,64} refs/${kind}/(.+)$`, 'u').exec(line.trimEnd())?.[1] ?? '';
    return PLAIN_NAME.test(name) ? [{ name, path, line: firstLine + index }] : [];
  });
}

const VERSION = /(?:^|[^\d.])(\d+)\.(\d+)(?:\.(\d+))?(-[\w.]+)?$/u;

/** The tag of the highest version, a final one before its own pre-releases. */
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
