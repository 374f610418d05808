import type { ShownChange } from '../file-changes.ts';

/** Git does not change modes of files for an editor, which only shows the patch. */
const MODE = '100644';

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '"': '\\"', '\\': '\\\\' };

/** A path as git writes it: a name with a line end must not begin another line of the patch. */
function quoted(path: string): string {
  const octal = (sign: string): string => Array.from(Buffer.from(sign), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const escaped = path.replaceAll(/[\p{Cc}"\\]/gu, (sign) => ESCAPES[sign] ?? octal(sign));
  return escaped === path ? path : `"${escaped}"`;
}

/** The patch of one change; undefined without a diff. */
function patchOf({ kind, path, from = path, diff = '', hunks }: ShownChange): string | undefined {
  const start = diff.indexOf('@@ ');
  if (start === -1 || hunks.length === 0) return undefined;
  const [before, after] = [quoted(`a/${from}`), quoted(`b/${path}`)];
  const modes: Record<ShownChange['kind'], string> = {
    created: `new file mode ${MODE}\n`,
    deleted: `deleted file mode ${MODE}\n`,
    changed: '',
    moved: `rename from ${quoted(from)}\nrename to ${quoted(path)}\n`,
  };
  const names = `--- ${kind === 'created' ? '/dev/null' : before}\n+++ ${kind === 'deleted' ? '/dev/null' : after}\n`;
  const body = diff.slice(start);
  return `diff --git ${before} ${after}\n${modes[kind]}${names}${body}${body.endsWith('\n') ? '' : '\n'}`;
}

/** Changes as a patch of git; undefined if none has a diff. */
export function gitPatch(changes: readonly ShownChange[]): string | undefined {
  const patches = changes.map(patchOf).filter((patch) => patch !== undefined);
  return patches.length === 0 ? undefined : patches.join('');
}
