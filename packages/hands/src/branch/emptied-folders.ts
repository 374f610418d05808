import { spawnSync } from 'node:child_process';
import { PROGRAMS } from '../launch/programs.ts';
import { systemProgram } from '../launch/system-program.ts';
import { ATTRIBUTE_CALLS } from '../launch/attribute-calls.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';

/** Milliseconds to read the marks of a layer. A hundred thousand folders take one second. */
const READ_MS = 30_000;
/** Bytes of the answers: two for each folder. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const NUL = Buffer.from([0]);

/** A folder and those that it is in, the outermost first. */
const withParents = (location: WorkspacePath): WorkspacePath[] => location.map((_, index) => location.slice(0, index + 1));

/**
 * Those of some folders of a layer that hide what the layers below have in them, because they, or a folder around them, were deleted and made
 * again. Where that cannot be read, all: what is taken for a change is kept.
 */
export function emptiedFolders(layer: string, folders: readonly WorkspacePath[]): WorkspacePath[] {
  if (folders.length === 0) return [];
  const asked = new Map(folders.flatMap(withParents).map((location) => [bytePath(location), location]));
  const [perl, calls] = [systemProgram('perl'), ATTRIBUTE_CALLS[process.arch]];
  if (perl === undefined || calls === undefined) return [...folders];
  const orders = Array.from(asked.values(), (location) => ['opaque', joinNames('.', location)]);
  const { stdout } = spawnSync(perl, ['-e', PROGRAMS['attributes.pl'], ...calls.map(String)], {
    cwd: '/',
    env: {},
    input: Buffer.concat([['start', layer], ...orders, ['end']].flat().flatMap((text) => [Buffer.from(text), NUL])),
    maxBuffer: MAX_ANSWER_BYTES,
    timeout: READ_MS,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const replies = stdout?.toString('latin1').split('\n') ?? [];
  const open = new Set(Array.from(asked.keys()).filter((_, index) => replies[index] === 'n'));
  return folders.filter((location) => withParents(location).some((each) => !open.has(bytePath(each))));
}
