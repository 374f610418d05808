import { listSegments } from './audit-folder.ts';
import { EMPTY_HEAD, type Head } from './audit-head.ts';
import { readLinks } from './chain.ts';
import { linesBackwards } from './lines-backwards.ts';

/** Finds where a log ends by reading it from its end: the last line that is whole. */
export function findHead(folder: string): { readonly head: Head; readonly isNew: boolean } {
  const segments = listSegments(folder);
  for (const { number, path } of segments.toReversed()) {
    for (const { text, end } of linesBackwards(path)) {
      const links = readLinks(text);
      if (links === undefined) continue;
      return { head: { segment: number, size: end, count: links.seq, hash: links.hash, pending: [] }, isNew: false };
    }
  }
  return { head: { ...EMPTY_HEAD, segment: segments.at(-1)?.number ?? 1 }, isNew: segments.length === 0 };
}
