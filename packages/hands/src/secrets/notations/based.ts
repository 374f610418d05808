import { mayRead, type Reader, type Readers } from './reader.ts';

/** Maximum number of characters between two digits: a line break and its indentation. */
const MAX_GAP = 32;

const codes = (text: string): number[] => Array.from(text, (one) => one.charCodeAt(0));
const SPACES: ReadonlySet<number> = new Set(codes(' \t\r\n'));
/** What separates numbers, such as in `67:68`, `67-68`, `[103, 104]`, `{0x67, 0x68}`. */
export const SEPARATORS: ReadonlySet<number> = new Set(codes(' \t\r\n:,;-_.|'));

export const BASE64: ReadonlyMap<number, number> = new Map([
  ...codes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/').map((code, value) => [code, value] as const),
  ...codes('-_').map((code, index) => [code, 62 + index] as const),
]);

/** Reads what readers read in base64 and base64url, at each of the three positions in a group of bytes, also with line breaks. */
export function inBase64(readers: Readers, starts: readonly Reader[]): Reader[] {
  /** @param bits the first bits of the next byte */
  const at = (inner: Reader, bits: number, count: number, isBegun: boolean, gap = 0): Reader =>
    readers.make(`base64 ${inner.id} ${bits} ${count} ${isBegun} ${gap}`, () => ({
      isBegun,
      isEnd: inner.isEnd,
      after(byte) {
        const value = BASE64.get(byte);
        if (value === undefined) return isBegun && gap < MAX_GAP && SPACES.has(byte) ? [at(inner, bits, count, true, gap + 1)] : [];
        const all = (bits << 6) | value;
        const left = count - 2;
        if (left < 0) return isOpen(inner, all, count + 6) ? [at(inner, all, count + 6, true)] : [];
        const rest = all & ((1 << left) - 1);
        return inner.after(all >> left).flatMap((next) => (next.isEnd || isOpen(next, rest, left) ? [at(next, rest, left, true)] : []));
      },
      may(byte) {
        const value = BASE64.get(byte);
        if (value === undefined) return isBegun && gap < MAX_GAP && SPACES.has(byte);
        const all = (bits << 6) | value;
        const left = count - 2;
        if (left < 0) return isOpen(inner, all, count + 6);
        const rest = all & ((1 << left) - 1);
        return inner.may(all >> left) && (left === 0 || inner.after(all >> left).some((next) => next.isEnd || isOpen(next, rest, left)));
      },
    }));
  /** Whether some byte with these first bits may come. */
  const isOpen = (inner: Reader, bits: number, count: number): boolean => mayRead(inner, bits << (8 - count), ((bits + 1) << (8 - count)) - 1);
  // The character that has bits of the byte before, too, is not read: what the bits of the first byte in it are is taken for granted.
  const bitsOf = (start: Reader, count: number): number[] =>
    Array.from({ length: 1 << count }, (_, bits) => bits).filter((bits) => isOpen(start, bits, count));
  return readers.anyOf(starts).flatMap((start) => [0, 2, 4].flatMap((count) => bitsOf(start, count).map((bits) => at(start, bits, count, false))));
}

const HEX: ReadonlyMap<number, number> = new Map([
  ...codes('0123456789abcdef').map((code, value) => [code, value] as const),
  ...codes('ABCDEF').map((code, index) => [code, 10 + index] as const),
]);
const ZERO = '0'.charCodeAt(0);
const X: ReadonlySet<number> = new Set(codes('xX'));
const BYTES: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

/** Reads what readers read as hexadecimal numbers of two digits, also with separators and `0x` between them. */
export function inHex(readers: Readers, starts: readonly Reader[]): Reader[] {
  /** @param high the first digit of the next byte; `0` is that of `0x` */
  const at = (inner: Reader, isBegun: boolean, high?: number | '0', gap = 0): Reader => {
    const isFirst = (digit: number | undefined): boolean => digit !== undefined && mayRead(inner, digit << 4, (digit << 4) | 15);
    return readers.make(`hex ${inner.id} ${isBegun} ${JSON.stringify(high)} ${gap}`, () => ({
      isBegun,
      isEnd: inner.isEnd,
      after(byte) {
        if (high === '0') return X.has(byte) ? [at(inner, true, undefined, gap + 1)] : [];
        const digit = HEX.get(byte);
        if (high !== undefined) return digit === undefined ? [] : inner.after((high << 4) | digit).map((next) => at(next, true));
        const after: Reader[] = [];
        if (digit !== undefined && isFirst(digit)) after.push(at(inner, true, digit));
        if (gap > 0 && byte === ZERO) after.push(at(inner, true, '0', gap));
        if (isBegun && gap < MAX_GAP && SEPARATORS.has(byte)) after.push(at(inner, true, undefined, gap + 1));
        return after;
      },
      may(byte) {
        if (high === '0') return X.has(byte);
        const digit = HEX.get(byte);
        if (high !== undefined) return digit !== undefined && inner.may((high << 4) | digit);
        return isFirst(digit) || (gap > 0 && byte === ZERO) || (isBegun && gap < MAX_GAP && SEPARATORS.has(byte));
      },
    }));
  };
  return readers.anyOf(starts).map((start) => at(start, false));
}

/** Reads what readers read as a list of decimal numbers. */
export function inDecimal(readers: Readers, starts: readonly Reader[]): Reader[] {
  const at = (inner: Reader, isBegun: boolean, digits: string, gap: number): Reader => {
    const mayBegin = (text: string): boolean => BYTES.some((byte) => String(byte).startsWith(text) && inner.may(byte));
    return readers.make(`decimal ${inner.id} ${isBegun} ${gap} ${digits}`, () => ({
      isBegun,
      isEnd: inner.isEnd,
      after(byte) {
        if (digits === '' && isBegun && gap < MAX_GAP && SEPARATORS.has(byte)) return [at(inner, true, '', gap + 1)];
        // Two numbers are separated.
        if (byte < ZERO || byte > ZERO + 9 || (isBegun && digits === '' && gap === 0)) return [];
        const text = digits + String.fromCharCode(byte);
        if (!mayBegin(text)) return [];
        const whole = inner.after(Number(text)).map((next) => at(next, true, '', 0));
        return [...whole, at(inner, true, text, gap)];
      },
      may(byte) {
        if (digits === '' && isBegun && gap < MAX_GAP && SEPARATORS.has(byte)) return true;
        const isDigit = byte >= ZERO && byte <= ZERO + 9;
        return isDigit && !(isBegun && digits === '' && gap === 0) && mayBegin(digits + String.fromCharCode(byte));
      },
    }));
  };
  return readers.anyOf(starts).map((start) => at(start, false, '', 0));
}
