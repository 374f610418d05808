import { relative } from 'node:path';
import type { ProcessOutcome } from '../../process/processes.ts';
import { isWithin } from '../../workspace/workspace-path.ts';

/** The facts about an ended command that show whether Landlock caused its failure. */
interface EndedUnderLandlock {
  readonly outcome: Pick<ProcessOutcome, 'exitCode'>;
  /** The beginning and the end of its output. */
  readonly said: string;
  /** Writable folders in which nothing could be made. */
  readonly fixed: readonly string[];
  readonly rootPath: string;
  readonly reach: 'off' | 'some' | 'on';
}

const DENIED = /Permission denied|\bEACCES\b|Operation not permitted|\bEPERM\b|\bEXDEV\b|cross-device/iu;
const NO_SOCKETS = /Address family not supported|\bEAFNOSUPPORT\b|address family/iu;
/** Maximum number of folders to name. */
const MAX_NAMED = 4;

/** Why a command failed, if that is because of what Landlock allows. */
export function explainLandlock({ outcome, said, fixed, rootPath, reach }: EndedUnderLandlock): string[] {
  if (outcome.exitCode === 0) return [];
  const inside = fixed.filter((path) => isWithin(path, rootPath)).map((path) => relative(rootPath, path) || '.');
  const named = inside.slice(0, MAX_NAMED).join(', ') + (inside.length > MAX_NAMED ? ` and ${inside.length - MAX_NAMED} more` : '');
  return [
    ...(inside.length > 0 && DENIED.test(said)
      ? [
          `under Landlock nothing can be made or deleted directly in ${named}, where files must stay as they are: work in another folder, or leave live out`,
        ]
      : []),
    ...(reach === 'off' && NO_SOCKETS.test(said)
      ? ['under Landlock a command without network has no sockets, not even of its own machine: --network on opens them']
      : []),
  ];
}
