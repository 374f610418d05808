import type { Style } from '../output/output.ts';
import type { Line, Span } from '../output/styled-line.ts';
import { wrapCode } from './wrap-spans.ts';

const INDENT: Span = { text: '  ' };
const DIFF_LANGUAGES = new Set(['diff', 'patch']);

/** The styles of the lines of a diff, by how they begin; the first one counts. */
const DIFF_STYLES: ReadonlyArray<readonly [mark: string, style: Style]> = [
  ['+++', 'bold'],
  ['---', 'bold'],
  ['@@', 'cyan'],
  ['+', 'green'],
  ['-', 'red'],
];

/** The style of a line of a diff. */
export function diffStyle(line: string): readonly Style[] {
  return DIFF_STYLES.filter(([mark]) => line.startsWith(mark))
    .slice(0, 1)
    .map(([, style]) => style);
}

/** The line above a block of code, which names its language. */
export function codeHead(language: string): Line[] {
  const [name = ''] = language.trim().split(/\s/u);
  return name === ''
    ? []
    : wrapCode({ text: name, styles: ['dim'] }, 40)
        .slice(0, 1)
        .map((line) => [INDENT, ...line]);
}

/** A line of a block of code. */
export function codeLine(text: string, language: string, width: number): Line[] {
  const styles = DIFF_LANGUAGES.has(language.trim().split(/\s/u)[0]?.toLowerCase() ?? '') ? diffStyle(text) : [];
  return wrapCode({ text, styles }, width - INDENT.text.length).map((line) => [INDENT, ...line]);
}
