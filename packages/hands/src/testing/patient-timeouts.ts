import { vi } from 'vitest';

/** Deadlines from here on, in milliseconds, are for a machine that answers; shorter ones are part of how something works. */
const DEADLINE_MS = 1_000;
const FACTOR = 50;

/** Makes deadlines longer until it is disposed, so that a loaded machine changes no result. For tests of what is found within one. */
export function patientTimeouts(): Disposable {
  const real = AbortSignal.timeout.bind(AbortSignal);
  return vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((milliseconds) => real(milliseconds < DEADLINE_MS ? milliseconds : milliseconds * FACTOR));
}
