import { SynapseError } from '@synapse/protocol';
import { assertEditableSize } from '../edit/text-file.ts';
import type { OpenFile } from '../workspace/open-file.ts';

/** What a file is to become; undefined where it is to go. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** Permission bits; undefined where they stay, or are the default of a new file. */
  readonly mode: number | undefined;
}

/** The files of a workspace as they will be: changes are made here first, and written when all are known. */
export interface FileOverlay {
  exists(path: string): boolean;
  /** Throws `not_found` where there is none. */
  assertExists(path: string): void;
  /** A file as it is by now. Throws `not_found` where there is none. */
  read(path: string): Promise<FileContent>;
  /** Permission bits of a file that is there already. */
  modeOf(path: string): number | undefined;
  write(path: string, content: FileContent): void;
  remove(path: string): void;
  /** What differs from the disk. */
  changes(): Iterable<readonly [path: string, content: FileContent | undefined]>;
}

/** @param open gives a file of the disk; undefined where there is none */
export function createFileOverlay(open: (path: string) => OpenFile | undefined): FileOverlay {
  const opened = new Map<string, OpenFile | undefined>();
  const changed = new Map<string, FileContent | undefined>();
  const onDisk = (path: string): OpenFile | undefined => {
    if (!opened.has(path)) opened.set(path, open(path));
    return opened.get(path);
  };
  const exists = (path: string): boolean => (changed.has(path) ? changed.get(path) !== undefined : onDisk(path) !== undefined);
  return {
    exists,
    assertExists(path) {
      if (!exists(path)) throw missing(path);
    },
    async read(path) {
      const file = changed.has(path) ? undefined : onDisk(path);
      const content = changed.get(path);
      if (content !== undefined) return content;
      if (file === undefined) throw missing(path);
      assertEditableSize(path, file.size);
      return { bytes: await file.read(0, file.size), mode: undefined };
    },
    modeOf(path) {
      const file = onDisk(path);
      return changed.get(path)?.mode ?? (file === undefined ? undefined : Number(file.stat.mode) & 0o777);
    },
    write: (path, content) => void changed.set(path, content),
    remove: (path) => void changed.set(path, undefined),
    *changes() {
      for (const [path, content] of changed) if (content !== undefined || onDisk(path) !== undefined) yield [path, content];
    },
  };
}

function missing(path: string): SynapseError {
  return new SynapseError('not_found', `There is no ${path}, which the patch changes; nothing was changed.`, {
    hint: 'Use find_files to locate it. To create a file, use *** Add File: (or --- /dev/null).',
  });
}
