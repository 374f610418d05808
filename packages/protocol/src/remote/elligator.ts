/** The field of Curve25519 and the coefficient of its equation v² = u³ + A·u² + u (RFC 7748, section 4.1). */
const PRIME = 2n ** 255n - 19n;
const A = 486_662n;
/** A number that is no square in the field (RFC 9380, section 6.7.1). */
const NON_SQUARE = 2n;

const reduce = (value: bigint): bigint => ((value % PRIME) + PRIME) % PRIME;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base, exponent]; left > 0n; left >>= 1n, square = reduce(square * square))
    if (left & 1n) result = reduce(result * square);
  return result;
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function toLittleEndian(value: bigint): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

/**
 * Maps 32 bytes to the u coordinate of a point of Curve25519 by Elligator 2 (RFC 9380, section 6.7.1). A multiple of the point by a random number
 * tells nothing about the bytes. The highest bit is ignored.
 *
 * The time it takes may depend on the bytes. They must be of a secret that is used once.
 */
export function mapToCurve(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const field = fromLittleEndian(bytes) & (2n ** 255n - 1n);
  // The divisor is never zero: -1 divided by twice a square is no square.
  const first = reduce(-A * power(reduce(1n + NON_SQUARE * field * field), PRIME - 2n));
  const equation = reduce(first * first * first + A * first * first + first);
  // Euler's criterion: one of the two is on the curve, and not on its twist.
  const isOnCurve = power(equation, (PRIME - 1n) / 2n) === 1n;
  return toLittleEndian(isOnCurve ? first : reduce(-first - A));
}
