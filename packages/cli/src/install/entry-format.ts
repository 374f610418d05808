import { SynapseError } from '@synapse/protocol';

/** An editor for a configuration format. It changes the entry and nothing else. */
export interface EntryFormat {
  /** The value at a path; everything for an empty path; undefined if it is missing. */
  get(text: string, keys: readonly string[]): unknown;
  /** The content without these values, and without objects that become empty. */
  without(text: string, places: ReadonlyArray<readonly string[]>): unknown;
  /** Adds or replaces a value. */
  set(text: string, keys: readonly string[], value: unknown): string;
  /** Removes a value. */
  remove(text: string, keys: readonly string[]): string;
}

/** A file that cannot be edited, with the position of the problem; line and column start at 1. */
export function misread(file: string, line: number, column: number, problem: string): SynapseError {
  return new SynapseError('invalid_arguments', `${file}:${line}:${column}: ${problem}. Nothing was changed.`, {
    hint: 'Mend the file, then repeat the command.',
  });
}

/** An edit that would change more or less than intended, and is therefore not made. */
export function byHand(file: string, what: string): SynapseError {
  return new SynapseError('conflict', `${file} is written in a way that cannot be changed without changing more of it. Nothing was changed.`, {
    hint: `Open the file and ${what} by hand.`,
  });
}
