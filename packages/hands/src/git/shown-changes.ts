import { isUtf8 } from 'node:buffer';
import { count } from '../text/amounts.ts';
import type { ChangesParser } from './parse-changes.ts';
import type { Repository } from './repository.ts';

/** Arguments of a process are bounded by the system; files beyond this are told without their patch. */
const MAX_NAMES = 1_000;

/** What reads a diff as it streams. */
export interface DiffReader {
  readonly changes: ChangesParser;
  write(chunk: Buffer): void;
}

/** A diff to run. */
export interface ShownDiff {
  /** Reads the whole. */
  readonly reader: DiffReader;
  /** Another one, whose patch goes to the same place. */
  readonly again: () => DiffReader;
  /** The arguments, for exactly these paths or, where none are given, for what the call asked about. */
  readonly arguments: (paths?: readonly string[]) => readonly string[];
  readonly revision?: string | undefined;
}

/**
 * Reads a diff of which some files may not be shown. Their names come before the patch: where there are such, git
 * runs once more for the others alone, and that run is judged in the same way, so that nothing slips in between.
 */
export async function readShownChanges(repository: Repository, diff: ShownDiff): Promise<void> {
  const run = async (reader: DiffReader, paths?: readonly string[]): Promise<void> => {
    const enough = new AbortController();
    await repository.run({
      arguments: diff.arguments(paths),
      onOutput(chunk) {
        reader.write(chunk);
        if (reader.changes.withholdsPatch) enough.abort();
      },
      enough: enough.signal,
      revision: diff.revision,
    });
  };
  await run(diff.reader);
  const { withholdsPatch, shownNames } = diff.reader.changes;
  const names = shownNames.filter((bytes) => isUtf8(bytes)).slice(0, MAX_NAMES);
  if (withholdsPatch && names.length > 0)
    await run(
      diff.again(),
      names.map((bytes) => bytes.toString('utf8')),
    );
}

/** What is said of files that were left out of a patch. */
export function withheldNote({ withheld }: ChangesParser): string | undefined {
  if (withheld === 0) return undefined;
  return `The content of ${count(withheld, 'file')} is withheld by the policy; name ${withheld === 1 ? 'it' : 'one'} as a path to ask for it.`;
}
