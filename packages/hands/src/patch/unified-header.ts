import { SynapseError } from '@synapse/protocol';
import { gitLinePaths, headerPath, stripPrefixes, unquotePath } from './git-path.ts';
import { patchError, quoted } from './patch-error.ts';
import type { PatchReader } from './patch-text.ts';

/** The information before the first hunk of a file. */
export interface Header {
  readonly patchLine: number;
  before: string | undefined;
  after: string | undefined;
  from: string | undefined;
  to: string | undefined;
  isNew: boolean;
  isDeleted: boolean;
  mode: number | undefined;
}

function refuseKind(path: string | undefined, what: string, line: number): never {
  throw new SynapseError(
    'wrong_type',
    `Line ${line} of the patch: ${path ?? 'a file'} is ${what}, which a patch cannot change here; nothing was changed.`,
    {
      hint: 'Leave that file out of the patch.',
      details: { patch_line: line },
    },
  );
}

function modeOf(text: string, header: Header, line: number): number {
  const mode = Number.parseInt(text, 8);
  const kind = mode & 0o170000;
  if (kind === 0o120000) refuseKind(header.after, 'a symbolic link', line);
  if (kind === 0o160000) refuseKind(header.after, 'a submodule', line);
  return mode & 0o111 ? 0o755 : 0o644;
}

/** The header lines of git before `---`, by prefix. */
const EXTENDED: ReadonlyArray<readonly [string, (rest: string, header: Header, line: number) => void]> = [
  ['new file mode ', (rest, header, line) => Object.assign(header, { isNew: true, mode: modeOf(rest, header, line) })],
  ['deleted file mode ', (rest, header, line) => Object.assign(header, { isDeleted: modeOf(rest, header, line) > 0 })],
  ['old mode ', (rest, header, line) => void modeOf(rest, header, line)],
  ['new mode ', (rest, header, line) => Object.assign(header, { mode: modeOf(rest, header, line) })],
  ['rename from ', (rest, header) => Object.assign(header, { from: unquotePath(rest) })],
  ['rename to ', (rest, header) => Object.assign(header, { to: unquotePath(rest) })],
  ['similarity index ', () => {}],
  ['dissimilarity index ', () => {}],
  ['index ', (rest, header, line) => void (/ \d{6}$/u.test(rest) && modeOf(rest.slice(-6), header, line))],
];

/** Refuses a patch of a binary file. */
export function refuseBinary(header: Header, line: number): never {
  throw new SynapseError(
    'binary_file',
    `Line ${line} of the patch changes a binary file${header.after === undefined ? '' : `, ${header.after}`}; nothing was changed.`,
    {
      hint: 'apply_patch changes text files only; leave that file out of the patch.',
      details: { patch_line: line },
    },
  );
}

/** Parses the header of git for a file, up to its names. */
export function parseGitHeader(reader: PatchReader): Header {
  const header = emptyHeader(reader.index + 1);
  const names = gitLinePaths((reader.lines[reader.index] ?? '').slice('diff --git '.length).trimEnd());
  if (names !== undefined) [header.before, header.after] = stripPrefixes(...names);
  reader.index += 1;
  for (let line = reader.lines[reader.index]; line !== undefined; line = reader.lines[reader.index]) {
    const text = line.trimEnd();
    const number = reader.index + 1;
    if (text.startsWith('GIT binary patch') || text.startsWith('Binary files ')) refuseBinary(header, number);
    if (text.startsWith('copy ')) throw patchError(number, 'copies a file, which is not supported', 'Use a new file with all its lines instead.');
    const known = EXTENDED.find(([start]) => text.startsWith(start));
    if (known === undefined) break;
    known[1](text.slice(known[0].length), header, number);
    reader.index += 1;
  }
  return header;
}

/** The header of a file before anything is known of it. */
export function emptyHeader(patchLine: number): Header {
  return { patchLine, before: undefined, after: undefined, from: undefined, to: undefined, isNew: false, isDeleted: false, mode: undefined };
}

/** Parses the `---` and `+++` lines, if they follow. */
export function parseNames(reader: PatchReader, header: Header): void {
  const [old = '', fresh = ''] = [reader.lines[reader.index], reader.lines[reader.index + 1]];
  if (!old.startsWith('--- ')) return;
  if (!fresh.startsWith('+++ ')) throw patchError(reader.index + 2, `is ${quoted(fresh)}, where +++ and the new name must follow`);
  const [before, after] = [headerPath(old.slice(4).trimEnd()), headerPath(fresh.slice(4).trimEnd())];
  header.isNew ||= before === '/dev/null';
  header.isDeleted ||= after === '/dev/null';
  // One name alone does not show its prefix (`diff.mnemonicPrefix` uses others than a/ and b/); the git line has both.
  const known = after === '/dev/null' ? header.before : header.after;
  const given = after === '/dev/null' ? before : after;
  const isNamed = known !== undefined && (before === '/dev/null') !== (after === '/dev/null') && given.endsWith(`/${known}`);
  if (!isNamed) [header.before, header.after] = stripPrefixes(before === '/dev/null' ? undefined : before, after === '/dev/null' ? undefined : after);
  reader.index += 2;
}
