import type { Place } from './place.ts';

/** The expected result of an attack. */
export type Verdict =
  /** Refused with a typed error before any effect. */
  | 'deny'
  /** Treated as plain data that does not exist. */
  | 'missing'
  /** Works: a guard against false alarms. */
  | 'allow'
  /** Works, with a bounded answer. */
  | 'limit'
  /** Refused or works, as long as nothing leaks and nothing outside changes. */
  | 'contained';

/** An attack. */
export interface Attack {
  readonly id: string;
  readonly tool: string;
  readonly input: (place: Place) => unknown;
  readonly verdict: Verdict;
  /** Text that the answer must contain. */
  readonly says?: string;
  /** A condition that must hold afterwards. */
  readonly after?: (place: Place) => boolean;
  /** Whether the machine has what the row needs. */
  readonly needs?: (place: Place) => boolean;
}

/** Reads a file with a hostile name. */
export const path = (id: string, verdict: Verdict, name: string | ((place: Place) => string), says?: string): Attack => ({
  id,
  tool: 'read_file',
  input: (place) => ({ path: typeof name === 'string' ? name : name(place) }),
  verdict,
  ...(says === undefined ? {} : { says }),
});

/** Writes a file with a hostile name. */
export const write = (id: string, verdict: Verdict, name: string | ((place: Place) => string), after?: Attack['after']): Attack => ({
  id,
  tool: 'write_file',
  input: (place) => ({ path: typeof name === 'string' ? name : name(place), content: 'written by a tool\n' }),
  verdict,
  ...(after === undefined ? {} : { after }),
});
