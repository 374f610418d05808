import { unescapeName } from '@synapse/hands/internal';
import { hunkLines, type ShownChange } from '../file-changes.ts';

/** Git does not change modes of files for an editor, which only shows the patch. */
const MODE = '100644';

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '"': '\\"', '\\': '\\\\' };
/** Characters that begin another line of the patch, or hide a part of a name. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\\]/gu;
/** The same in a name that is no text, of which each character is a byte. */
const NO_TEXT = /[^\x20-\x7e]|["\\]/gu;

/** A path as git writes it, in the bytes that it has on disk. */
function quoted(side: '' | 'a/' | 'b/', path: string): string {
  const name = unescapeName(path);
  const isText = typeof name === 'string';
  const [text, special, encoding] = isText ? ([name, HIDDEN, 'utf8'] as const) : ([name.toString('latin1'), NO_TEXT, 'latin1'] as const);
  const octal = (sign: string): string => Array.from(Buffer.from(sign, encoding), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const escaped = text.replaceAll(special, (sign) => ESCAPES[sign] ?? octal(sign));
  return escaped === text ? `${side}${text}` : `"${side}${escaped}"`;
}

const sidesOf = (kind: ShownChange['kind'], before: string, after: string): string =>
  `--- ${kind === 'created' ? '/dev/null' : before}\n+++ ${kind === 'deleted' ? '/dev/null' : after}\n`;

/** The patch of one change; undefined if what is known of it is not enough for one. */
function patchOf({ kind, path, from = path, diff, note, hunks }: ShownChange): string | undefined {
  const lines = diff === undefined ? '' : hunkLines(diff);
  const isMoved = from !== path && kind !== 'deleted';
  if (hunks.length === 0) {
    // Without a text: it is too long to show, or no file. A note beside a diff is about the permissions.
    if (lines !== '' || (note !== undefined && diff === undefined)) return undefined;
    // What only changes its place has no diff, and what only changes its permissions no patch.
    if (diff === undefined ? kind !== 'moved' : kind === 'changed' && !isMoved) return undefined;
  }
  const [before, after] = [quoted('a/', from), quoted('b/', kind === 'deleted' ? from : path)];
  const kinds: Record<ShownChange['kind'], string> = {
    created: `new file mode ${MODE}\n`,
    deleted: `deleted file mode ${MODE}\n`,
    changed: '',
    moved: '',
  };
  const moved = isMoved ? `rename from ${quoted('', from)}\nrename to ${quoted('', path)}\n` : '';
  const body = lines === '' ? '' : `${sidesOf(kind, before, after)}${lines}${lines.endsWith('\n') ? '' : '\n'}`;
  return `diff --git ${before} ${after}\n${kinds[kind]}${moved}${body}`;
}

/** Changes as a patch of git; undefined if none has one. */
export function gitPatch(changes: readonly ShownChange[]): string | undefined {
  const patches = changes.map(patchOf).filter((patch) => patch !== undefined);
  return patches.length === 0 ? undefined : patches.join('');
}
