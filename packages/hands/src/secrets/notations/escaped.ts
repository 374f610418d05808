import { OPENING, readEscape } from './escape-table.ts';
import type { Reader, Readers } from './reader.ts';

/** Maximum number of escapes for nothing in a row: a zero byte of UTF-16. Escapes in each other have as many each. */
const MAX_QUIET = 1;

/** Reads what readers read, each byte as it is or in one of many escapes. */
export function escaped(readers: Readers, starts: readonly Reader[]): Reader[] {
  const at = (inner: Reader, pending = '', quiet = 0): Reader => {
    const isNext = (meaning: number | 'nothing'): boolean => (meaning === 'nothing' ? inner.isBegun && quiet < MAX_QUIET : inner.may(meaning));
    return readers.make(`escaped ${inner.id} ${quiet} ${pending}`, () => ({
      isBegun: inner.isBegun || pending !== '',
      isEnd: inner.isEnd && pending === '',
      after(byte) {
        const after = pending === '' ? inner.after(byte).map((next) => at(next)) : [];
        const { means, may } = readEscape(pending + String.fromCharCode(byte));
        for (const meaning of means) {
          if (meaning !== 'nothing') after.push(...inner.after(meaning).map((next) => at(next)));
          else if (isNext(meaning)) after.push(at(inner, '', quiet + 1));
        }
        if (may.some(isNext)) after.push(at(inner, pending + String.fromCharCode(byte), quiet));
        return readers.anyOf(after);
      },
      may(byte) {
        if (pending === '' && inner.may(byte)) return true;
        if (pending === '' && !OPENING.has(byte)) return false;
        const { means, may } = readEscape(pending + String.fromCharCode(byte));
        return means.some(isNext) || may.some(isNext);
      },
    }));
  };
  return readers.anyOf(starts).map((start) => at(start));
}
