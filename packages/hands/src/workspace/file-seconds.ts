import { lstatSync, utimesSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const NANOSECONDS = 1_000_000_000n;
/** Number of fraction bits of a JavaScript number. */
const FRACTION_BITS = 52;
const [major = 0, minor = 0] = process.versions.uv?.split('.').map(Number) ?? [];
/** Nanoseconds between two times that Node can set: libuv truncates to microseconds before version 1.52. */
const STEP = major > 1 || minor >= 52 ? 1n : 1_000n;

/** Converts a time to the first number of seconds that is not earlier. Until 2038 it is at most a quarter of a microsecond after the next step. */
export function secondsOf(nanoseconds: bigint, step = STEP): number {
  const wanted = ((nanoseconds + step - 1n) / step) * step;
  const seconds = Number(wanted / NANOSECONDS) + Number(wanted % NANOSECONDS) / 1e9;
  if (nanosecondsOf(seconds, step) >= wanted) return seconds;
  return seconds + 2 ** (Math.floor(Math.log2(Math.max(1, seconds))) - FRACTION_BITS);
}

/** Returns the time that the kernel receives for a number of seconds, which libuv truncates. */
export function nanosecondsOf(seconds: number, step = STEP): bigint {
  const whole = Math.trunc(seconds);
  return BigInt(whole) * NANOSECONDS + (BigInt(Math.trunc((seconds - whole) * 1e9)) / step) * step;
}

/** Milliseconds between checks for the next tick of the clock for file timestamps. */
const TICK_MS = 1;

/** The current time of the kernel's clock for file timestamps, in nanoseconds since 1970: as a change of a folder shows it. */
export function kernelTime(folder: string): bigint {
  const now = new Date();
  utimesSync(folder, now, now);
  return lstatSync(folder, { bigint: true }).ctimeNs;
}

/** Returns a time of that clock after its next tick. It ticks slowly: earlier and later changes can only be distinguished by a tick. */
export async function kernelTick(folder: string): Promise<bigint> {
  const first = kernelTime(folder);
  for (;;) {
    const now = kernelTime(folder);
    if (now > first) return now;
    await delay(TICK_MS);
  }
}
