import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { displayPath } from './byte-name.ts';
import type { Confinement } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import type { FileBuffers, ShownByEditor } from './file-buffers.ts';
import type { OpenFile } from './open-file.ts';
import { whileStill } from './still-place.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** Maximum size of a file, and of its text in an editor, in bytes: 4 MiB. A larger file is read from the disk only. */
export const MAX_SHOWN_BYTES = 4 * 1024 * 1024;

/** A file with the text that an editor shows and has not saved. */
export interface ShownText {
  /** The text in place of the file's content. */
  readonly file: OpenFile;
  readonly bytes: Buffer;
  /** The text as the editor gave it. */
  readonly given: string;
}

interface Showing {
  readonly confinement: Confinement;
  readonly buffers: FileBuffers;
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
}

const MARK = '\uFEFF';

/** A text without what editors keep apart from it: the byte order mark, the kind of line end, and the last line end. */
const plain = (text: string): string => text.replace(MARK, '').replaceAll('\r\n', '\n').replace(/\n$/u, '');

/** Whether two contents are the same text to an editor. */
export const isSameText = (a: Buffer, b: Buffer): boolean => a.equals(b) || plain(a.toString('utf8')) === plain(b.toString('utf8'));

/** The real path of a place, by which an editor knows it; undefined if a name is not text. */
export function editorPath(root: string, location: WorkspacePath): string | undefined {
  const names = location.filter((name) => typeof name === 'string');
  return names.length === location.length ? join(root, ...names) : undefined;
}

/** Writes a text of an editor in the form of its file. Editors commonly keep lines only, and give `\n` between them. */
function inForm(text: string, disk: string): Buffer {
  const lines = disk.split('\n').length - 1;
  const isCrlf = lines > 0 && disk.split('\r\n').length - 1 === lines;
  const ends = isCrlf ? text.replaceAll(/\r?\n/gu, '\r\n') : text;
  const last = isCrlf ? '\r\n' : '\n';
  const whole = disk.endsWith('\n') && !ends.endsWith('\n') ? `${ends}${last}` : ends;
  return Buffer.from(disk.startsWith(MARK) && !whole.startsWith(MARK) ? `${MARK}${whole}` : whole, 'utf8');
}

/** How often an editor is asked while its folder changes, as by a file that it or a command puts there. */
const ATTEMPTS = 2;

/** Asks the editor. Returns undefined if the folder changed meanwhile, so that the answer may be of another file. */
async function ask({ confinement, buffers, signal }: Showing, location: WorkspacePath, path: string): Promise<ShownByEditor | undefined> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const answer = await whileStill(confinement, location, () => buffers.read(path, signal));
      if (answer !== undefined) return answer;
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!isSynapseError(error) && errnoOf(error) === undefined) throw error;
    // The file was deleted meanwhile. An open handle still has its content.
    return 'nothing';
  }
}

const isNoText = (text: string): boolean => text.length > MAX_SHOWN_BYTES || text.includes('\0') || !text.isWellFormed();

/**
 * Finds the text that an editor shows for an open file, if it differs from the disk. Only text in UTF-8 is asked for: an editor may decode
 * other files differently, which would look like a change.
 */
export async function shownText(file: OpenFile, showing: Showing): Promise<ShownText | undefined> {
  const { confinement, onNote } = showing;
  const { location, stat, size } = file;
  const path = editorPath(confinement.root, location);
  if (path === undefined || size > MAX_SHOWN_BYTES || confinement.isApart?.(location) === true) return undefined;
  const disk = await file.read(0, size);
  if (disk.includes(0) || !isUtf8(disk)) return undefined;
  const answer = await ask(showing, location, path);
  const name = displayPath(location);
  if (answer === 'silent') onNote(`The editor did not tell its text of ${name} in time; this is the file on disk.`);
  if (answer === undefined) onNote(`The editor's text of ${name} was not used, as its folder changed meanwhile; this is the file on disk.`);
  // Some clients answer every question with an empty text.
  if (answer === undefined || typeof answer === 'string' || answer.text === '') return undefined;
  const { text } = answer;
  if (isNoText(text)) {
    onNote(`The editor's text of ${name} is too large or no text; this is the file on disk.`);
    return undefined;
  }
  const bytes = inForm(text, disk.toString('utf8'));
  if (isSameText(bytes, disk)) return undefined;
  const readInto: OpenFile['readInto'] = (buffer, position) => Promise.resolve(bytes.copy(buffer, 0, position));
  return {
    bytes,
    given: text,
    file: {
      location,
      stat,
      size: bytes.length,
      readInto,
      read: (position, length) => Promise.resolve(bytes.subarray(position, position + Math.max(0, length))),
      [Symbol.dispose]: () => file[Symbol.dispose](),
    },
  };
}
