/** NTFS reads these short names as others. */
const SHORT_NAMES: Readonly<Record<string, string>> = { 'git~1': '.git', 'gitmod~1': '.gitmodules' };

/** Folds a name the way the laxest file system does: case, trailing dots and spaces, streams, short names. */
export function foldName(name: string | Buffer): string {
  const folded = name
    .toString()
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/:.*$/su, '')
    .replace(/[. ]+$/u, '');
  return SHORT_NAMES[folded] ?? folded;
}

/** Names that need no folding but lower case: nearly all, and folding is slow. */
const PLAIN = /^[\w\-+@]*(?:\.[\w\-+@]+)*$/u;

/** The same for a name whose characters each stand for one byte (latin1). */
export function foldBytes(name: string): string {
  return PLAIN.test(name) ? name.toLowerCase() : foldName(Buffer.from(name, 'latin1'));
}
