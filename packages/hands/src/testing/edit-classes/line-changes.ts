import { INDENT, type LineChange } from './edit-class.ts';

/** Changes the indentation of lines that are not blank. */
function indents(name: string, change: (indent: string, body: string) => string | undefined): LineChange {
  return {
    name,
    line(line) {
      if (line.trim() === '') return line;
      const indent = INDENT.exec(line)?.[0] ?? '';
      const changed = change(indent, line.slice(indent.length));
      return changed === undefined ? undefined : changed + line.slice(indent.length);
    },
  };
}

const spaces = (indent: string): boolean => !indent.includes('\t');
const tabs = (indent: string): boolean => !indent.includes(' ');

/** Turns typographic what is plain. */
export function smart(value: string): string {
  return value
    .replace(/(^|[\s([{=:,])"/gu, '$1“')
    .replaceAll('"', '”')
    .replace(/(^|[\s([{=:,“])'/gu, '$1‘')
    .replaceAll("'", '’');
}

function characters(name: string, change: (body: string) => string): LineChange {
  return {
    name,
    line(line) {
      const indent = INDENT.exec(line)?.[0] ?? '';
      return indent + change(line.slice(indent.length));
    },
  };
}

const more =
  (by: string): ((indent: string) => string) =>
  (indent) =>
    by + indent;
const less =
  (by: string): ((indent: string) => string | undefined) =>
  (indent) =>
    indent.startsWith(by) ? indent.slice(by.length) : undefined;
const perTab =
  (width: number, round: (levels: number) => number) =>
  (indent: string): string | undefined =>
    spaces(indent) ? '\t'.repeat(round(indent.length / width)) : undefined;

/** Other indentation of all lines. */
export const INDENT_CHANGES: readonly LineChange[] = [
  ...[1, 2, 3, 4, 8].map((count) => indents(`${count} more spaces`, more(' '.repeat(count)))),
  indents('a tab more', more('\t')),
  ...[1, 2, 4].map((count) => indents(`${count} less spaces`, less(' '.repeat(count)))),
  indents('a tab less', less('\t')),
  indents('twice the spaces', (indent) => (spaces(indent) ? indent.repeat(2) : undefined)),
  indents('half the spaces', (indent) => (spaces(indent) ? indent.slice(0, Math.floor(indent.length / 2)) : undefined)),
  indents('half the spaces, rounded up', (indent) => (spaces(indent) ? indent.slice(0, Math.ceil(indent.length / 2)) : undefined)),
  ...[2, 4, 8].flatMap((width) => [
    indents(`tabs for ${width} spaces`, (indent) => (indent.length % width === 0 ? perTab(width, Math.round)(indent) : undefined)),
    indents(`tabs for ${width} spaces, the rest as spaces`, (indent) =>
      spaces(indent) ? '\t'.repeat(Math.floor(indent.length / width)) + ' '.repeat(indent.length % width) : undefined,
    ),
    indents(`tabs for ${width} spaces, rounded up`, perTab(width, Math.ceil)),
    indents(`tabs for ${width} spaces, rounded down`, perTab(width, Math.floor)),
    indents(`${width} spaces for tabs`, (indent) => (tabs(indent) ? ' '.repeat(indent.length * width) : undefined)),
  ]),
  indents('none', () => ''),
];

/** Other characters in all lines. */
export const CHARACTER_CHANGES: readonly LineChange[] = [
  characters('typographic quotes', smart),
  characters('curly apostrophes', (body) => body.replaceAll("'", '’')),
  {
    name: 'curly double quotes',
    line(line) {
      const changed = line.replace(/(?<!")"([^"\n]+)"(?!")/gu, '“$1”');
      // Text with both kinds tells them apart.
      return changed !== line && changed.includes('"') ? undefined : changed;
    },
  },
  characters('no-break spaces', (body) => body.replaceAll(' ', '\u00a0')),
  { name: 'no-break spaces, in the indentation too', line: (line) => line.replaceAll(' ', '\u00a0') },
  characters('narrow no-break spaces', (body) => body.replaceAll(' ', '\u202f')),
  characters('en dashes', (body) => body.replaceAll('-', '–')),
  characters('em dashes', (body) => body.replaceAll('-', '—')),
  characters('minus signs', (body) => body.replaceAll('-', '\u2212')),
  characters('no-break hyphens', (body) => body.replaceAll('-', '\u2011')),
  characters('ellipses', (body) => body.replaceAll('...', '…')),
];

/** White space at line ends. */
export const END_CHANGES: readonly LineChange[] = [
  { name: 'spaces at line ends', line: (line) => `${line}  ` },
  { name: 'a tab at line ends', line: (line) => `${line}\t` },
  { name: 'spaces in blank lines', line: (line) => (line === '' ? '    ' : line) },
];
