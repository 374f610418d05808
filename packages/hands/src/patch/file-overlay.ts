import { SynapseError } from '@synapse/protocol';
import { assertEditableSize } from '../edit/text-file.ts';
import type { OpenFile } from '../workspace/open-file.ts';

/** The new content of a file. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** Permission bits; undefined to keep them, or to use the default for a new file. */
  readonly mode: number | undefined;
}

/** The planned state of the workspace's files. Changes are collected here and written when all are known. */
export interface FileOverlay {
  exists(path: string): boolean;
  /** Throws `not_found` if the file does not exist. */
  assertExists(path: string): void;
  /** Reads the planned content of a file. Throws `not_found` if it does not exist. */
  read(path: string): Promise<FileContent>;
  /** Permission bits of an existing file. */
  modeOf(path: string): number | undefined;
  write(path: string, content: FileContent): void;
  remove(path: string): void;
  /** The differences from the disk. */
  changes(): Iterable<readonly [path: string, content: FileContent | undefined]>;
}

/** @param open opens a file on disk; returns undefined if it does not exist */
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
  return new SynapseError('not_found', `File not found: ${path}. The patch changes it; nothing was changed.`, {
    hint: 'Use find_files to locate it. To create a file, use *** Add File: (or --- /dev/null).',
  });
}
