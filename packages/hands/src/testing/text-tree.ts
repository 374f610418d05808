import { nameOf, parentOf, type EntryType, type TreeView } from '../danger/tree-view.ts';

/** Returns a tree made from the texts of its files; null is a folder, and a text that starts with `->` is a link. */
export function textTree(files: Readonly<Record<string, string | null>>): TreeView {
  const folders = new Set(['']);
  for (const path of Object.keys(files)) for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) folders.add(folder);
  const type = (path: string): EntryType | undefined => {
    const text = Object.hasOwn(files, path) ? files[path] : undefined;
    if (text === null || folders.has(path)) return 'folder';
    return text === undefined ? undefined : text.startsWith('->') ? 'link' : 'file';
  };
  const readText = (path: string, maxBytes: number): string | undefined =>
    type(path) === 'file' && (files[path] ?? '').length <= maxBytes ? (files[path] ?? '') : undefined;
  return {
    type,
    readText,
    readBytes(path, maxBytes) {
      const text = readText(path, maxBytes);
      return text === undefined ? undefined : Buffer.from(text, 'latin1');
    },
    linkText: (path) => (type(path) === 'link' ? files[path]?.slice(2).trim() : undefined),
    names: (path) =>
      type(path) === 'folder'
        ? [...new Set([...Object.keys(files), ...folders])].filter((one) => one !== '' && parentOf(one) === path).map(nameOf)
        : undefined,
  };
}
