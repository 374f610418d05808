/** Lets this process stand still, as where its machine does. All its timers of that time are due afterwards, before anything else. */
export function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
