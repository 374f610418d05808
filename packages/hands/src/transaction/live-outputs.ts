import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppliedOutput, OutputSource } from '../sandbox/view/output-source.ts';
import type { OpaqueMarks } from '../sandbox/layers/merge-layer.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { keepOutputs } from './output-layer.ts';
import { lostSentences, type LostPath } from '../text/amounts.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { currentOutputs, readState, stateOf, statePath, writeState } from './output-state.ts';

/** Milliseconds for merging what one command wrote. */
const MERGE_MS = 60_000;

/** Options of {@link liveOutputs}. */
interface LiveOptions {
  readonly areas: string;
  readonly confinement: Confinement;
  readonly marks: OpaqueMarks;
  /** Maximum bytes that are kept. Default: as built in. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds for merging what one command wrote. Default: {@link MERGE_MS}. */
  readonly mergeMs?: number;
  /** Runs work while no other command of this workspace is applied. */
  readonly alone: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/**
 * Build output of earlier commands for a command on the workspace itself. It is mounted above the folder, so where there is none, an empty one
 * is made: a mount needs a place. What the command writes there is kept apart as well.
 */
export function liveOutputs({ areas, confinement, marks, alone, maxBytes, mergeMs = MERGE_MS }: LiveOptions): OutputSource {
  return {
    async open(signal) {
      return await alone(async () => {
        const layer = await currentOutputs(areas, confinement);
        return layer === undefined ? [] : layer.folders.flatMap((path) => mountable(areas, confinement, path, layer.upper));
      }, signal);
    },
    async keep(written, above, command) {
      const folders = written.filter(({ upper }) => existsSync(upper) && readdirSync(upper).length > 0);
      if (folders.length === 0) return [];
      for (const { path, upper } of folders) {
        mkdirSync(join(above, 'upper', dirname(path)), { recursive: true });
        renameSync(upper, join(above, 'upper', path));
      }
      const signal = AbortSignal.timeout(mergeMs);
      const writer = { area: { upper: join(above, 'upper') }, startedAt: undefined, command };
      const paths = folders.map(({ path }) => path);
      const merge = async () => await keepOutputs({ areas, confinement, marks, signal, maxBytes }, writer, paths);
      try {
        return told((await alone(merge, signal)).lost);
      } catch (error) {
        if (!signal.aborted) throw error;
        return told(paths.map((path) => ({ path, why: 'it took too long' })));
      }
    },
  };
}

const told = (lost: readonly LostPath[]): string[] => lostSentences(lost, () => 'Build output was not kept');

/** The layer of a folder, if there is one and a place for it. */
function mountable(areas: string, confinement: Confinement, path: string, upper: string): AppliedOutput[] {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const layer = join(upper, path);
  // A command deleted the folder: a mark or nothing is left of it, and neither can be mounted.
  if (lstatSync(layer, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  try {
    using above = confinement.openDirectory(names);
    // A link on the way: the mount would be elsewhere.
    if (above.location.join('/') !== names.join('/')) return [];
    return [{ path, layer, below: openOrMake(above, name, () => renew(areas, confinement, path)) }];
  } catch {
    // The folder above is missing, or something else is in the place.
    return [];
  }
}

function openOrMake(above: PinnedDirectory, name: string, onMade: () => void): PinnedDirectory {
  try {
    return above.child(name);
  } catch {
    // Fails if something else is there.
    mkdirSync(above.at(name), { mode: 0o755 });
    onMade();
    return above.child(name);
  }
}

/** Notes the new state of a folder, which is no change by a person. */
function renew(areas: string, confinement: Confinement, path: string): void {
  const state = readState(areas);
  if (state === undefined) return;
  using root = confinement.openDirectory([]);
  const made = { over: stateOf(root, path).text, isMade: true };
  const folders = state.folders.map((folder) => (folder.path === path ? { ...folder, ...made } : folder));
  const { atimeNs, mtimeNs } = statSync(statePath(areas), { bigint: true });
  writeState(areas, { ...state, folders });
  // What is shown has not changed: a language server is not started again for it.
  utimesSync(statePath(areas), secondsOf(atimeNs), secondsOf(mtimeNs));
}
