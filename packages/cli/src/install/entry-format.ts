import { SynapseError } from '@synapse/protocol';

/** What a configuration file is edited with: text in, text out, all but the entry as it was. */
export interface EntryFormat {
  /** The value at a place; undefined where there is none. */
  get(text: string, keys: readonly string[]): unknown;
  /** All that the file says but an entry, and but objects that are empty without it. */
  without(text: string, keys: readonly string[]): unknown;
  /** Adds an entry, or puts it in the place of the one that is there. */
  set(text: string, keys: readonly string[], entry: Readonly<Record<string, unknown>>): string;
  /** Takes an entry away. */
  remove(text: string, keys: readonly string[]): string;
}

/** A file that cannot be edited as it is, with the place; both numbers from 1. */
export function misread(file: string, line: number, column: number, problem: string): SynapseError {
  return new SynapseError('invalid_arguments', `${file}:${line}:${column}: ${problem}. Nothing was changed.`, {
    hint: 'Mend the file, then repeat the command.',
  });
}

/** An edit that would have done more or less than it should, so that it is not made. */
export function byHand(file: string, what: string): SynapseError {
  return new SynapseError('conflict', `${file} is written in a way that cannot be changed without changing more of it. Nothing was changed.`, {
    hint: `Open the file and ${what} by hand.`,
  });
}
