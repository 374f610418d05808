/** Texts that JSON writes as they are, a byte for each character. */
const PLAIN = /^[ !#-[\]-~]*$/u;

/** Bytes that a value takes as JSON. Counts what a record holds most, short plain texts, without writing them out. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string' && PLAIN.test(value)) return value.length + 2;
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
