import { isUtf8 } from 'node:buffer';
import { count } from '../text/amounts.ts';
import type { ChangesParser } from './parse-changes.ts';
import type { Repository } from './repository.ts';

/** Maximum number of paths. The arguments of a process are limited; further files are listed without their patch. */
const MAX_NAMES = 1_000;

/** Reads a diff as it streams. */
export interface DiffReader {
  readonly changes: ChangesParser;
  write(chunk: Buffer): void;
}

/** A diff to run. */
export interface ShownDiff {
  /** The reader of the complete diff. */
  readonly reader: DiffReader;
  /** Creates another reader, whose patch goes to the same place. */
  readonly again: () => DiffReader;
  /** The arguments for exactly these paths; without paths, for those of the call. */
  readonly arguments: (paths?: readonly string[]) => readonly string[];
  readonly revision?: string | undefined;
}

/**
 * Reads a diff with files that may not be shown. Their names come before the patch: if there are any, git runs again
 * for the other files, and that run is checked in the same way, in case something changed in between.
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
      names.map((bytes) => repository.changeArgument(bytes.toString('utf8'))),
    );
}

/** Describes the files that were left out of a patch. */
export function withheldNote({ withheld }: ChangesParser): string | undefined {
  if (withheld === 0) return undefined;
  return `The content of ${count(withheld, 'file')} is withheld by the policy; name ${withheld === 1 ? 'it' : 'one'} as a path to ask for it.`;
}
