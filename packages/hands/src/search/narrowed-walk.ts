/** Characters that cannot be written in a rule: line ends, and what is not text. */
const UNWRITABLE = /[\p{Cc}\uFFFD]/u;

const escaped = (name: string): string => name.replaceAll(/[\\*?[\]{}]/gu, String.raw`\$&`);

/**
 * Writes rules of an ignore file that let ripgrep see only some files below the folder. They come first: each rule of the repository
 * that ignores one of these files counts more. Undefined if a name cannot be written.
 *
 * @param files the names of each file, from the folder on
 */
export function narrowedWalk(files: ReadonlyArray<readonly string[]>): string[] | undefined {
  const folders = new Set<string>();
  const lines = ['/*'];
  const ends: string[] = [];
  for (const names of files) {
    // Spaces at the end of a line do not count.
    if (names.some((name) => UNWRITABLE.test(name)) || names.at(-1)?.trimEnd() !== names.at(-1)) return undefined;
    let folder = '';
    for (const name of names.slice(0, -1)) {
      folder += `/${escaped(name)}`;
      if (folders.has(folder)) continue;
      folders.add(folder);
      lines.push(`!${folder}/`, `${folder}/*`);
    }
    ends.push(`!${folder}/${escaped(names.at(-1) ?? '')}`);
  }
  return [...lines, ...ends];
}
