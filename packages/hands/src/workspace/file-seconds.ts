const NANOSECONDS = 1_000_000_000n;
/** Number of fraction bits of a JavaScript number. */
const FRACTION_BITS = 52;

/** Converts a time to the first number of seconds that is not earlier. Until 2038 it is at most a quarter of a microsecond later. */
export function secondsOf(nanoseconds: bigint): number {
  const seconds = Number(nanoseconds / NANOSECONDS) + Number(nanoseconds % NANOSECONDS) / 1e9;
  if (nanosecondsOf(seconds) >= nanoseconds) return seconds;
  return seconds + 2 ** (Math.floor(Math.log2(Math.max(1, seconds))) - FRACTION_BITS);
}

/** Returns the time that the kernel receives for a number of seconds, which libuv truncates. */
export function nanosecondsOf(seconds: number): bigint {
  const whole = Math.trunc(seconds);
  return BigInt(whole) * NANOSECONDS + BigInt(Math.trunc((seconds - whole) * 1e9));
}
