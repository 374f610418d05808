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
}

const DENIED = /Permission denied|\bEACCES\b|Operation not permitted|\bEPERM\b|\bEXDEV\b|cross-device/iu;
/** Maximum number of folders to name. */
const MAX_NAMED = 4;

/** Why a command failed, if that is because of what Landlock allows. */
export function explainLandlock({ outcome, said, fixed, rootPath }: EndedUnderLandlock): string[] {
  if (outcome.exitCode === 0) return [];
  const inside = fixed.filter((path) => isWithin(path, rootPath)).map((path) => relative(rootPath, path) || '.');
  const named = inside.slice(0, MAX_NAMED).join(', ') + (inside.length > MAX_NAMED ? ` and ${inside.length - MAX_NAMED} more` : '');
  if (inside.length === 0 || !DENIED.test(said)) return [];
  return [
    `under Landlock nothing can be made or deleted directly in ${named}, where files must stay as they are: work in another folder, or leave live out`,
  ];
}
