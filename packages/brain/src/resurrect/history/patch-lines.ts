/** The lines that a patch adds to and removes from a file, without their markers. */
export interface PatchedFile {
  readonly path: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

const NO_FILE = '/dev/null';

/** Parses a file name in a patch. Quoted names with special characters are not supported. */
function nameOf(line: string): string {
  const name = line.slice(4).replace(/\t$/u, '');
  return name === NO_FILE ? '' : name.replace(/^[ab]\//u, '');
}

/** Parses a git patch. A truncated patch is parsed up to its end. */
export function patchedFiles(patch: string): PatchedFile[] {
  const files: { path: string; added: string[]; removed: string[] }[] = [];
  let old = '';
  let inHunk = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    else if (line.startsWith('@@')) inHunk = true;
    else if (!inHunk && line.startsWith('--- ')) old = nameOf(line);
    else if (!inHunk && line.startsWith('+++ ')) files.push({ path: nameOf(line) || old, added: [], removed: [] });
    else if (inHunk && line.startsWith('+')) files.at(-1)?.added.push(line.slice(1));
    else if (inHunk && line.startsWith('-')) files.at(-1)?.removed.push(line.slice(1));
  }
  return files;
}
