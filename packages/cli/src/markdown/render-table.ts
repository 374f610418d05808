import type { Tokens } from 'marked';
import { plainLine, type Line, type Span } from '../output/styled-line.ts';
import { textWidth } from '../output/text-width.ts';
import { inlineSpans, spanLines } from './inline-spans.ts';
import { wrapSpans } from './wrap-spans.ts';

const SEPARATOR: Span = { text: ' │ ', styles: ['dim'] };
/** Columns narrower than this are not readable. */
const MIN_COLUMN = 6;

const lineWidth = (line: Line): number => textWidth(plainLine(line));

/** Widths of the columns: the widest are made narrower until all fit. Undefined if they cannot. */
function fitted(wanted: readonly number[], room: number): number[] | undefined {
  const widths = [...wanted];
  const least = Math.min(MIN_COLUMN, Math.floor(room / Math.max(1, widths.length)));
  if (least < Math.min(MIN_COLUMN, ...wanted)) return undefined;
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= least) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function padded(line: Line, width: number, align: Tokens.TableCell['align'], isLast: boolean): Span[] {
  const free = Math.max(0, width - lineWidth(line));
  const left = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return [{ text: ' '.repeat(left) }, ...line, { text: isLast ? '' : ' '.repeat(free - left) }].filter(({ text }) => text !== '');
}

/** A table that is too wide for its columns, as one list of fields for each row. */
function asRecords(header: readonly Line[], rows: ReadonlyArray<readonly Line[]>, width: number): Line[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...row.flatMap((cell, column) => {
      const name = plainLine(header[column] ?? []);
      return wrapSpans([...(name === '' ? [] : [{ text: `${name}: `, styles: ['bold'] as const }]), ...cell], width);
    }),
  ]);
}

/** Lays a table out: as columns, which are wrapped, or as records if there is no room for columns. */
export function renderTable({ header, rows }: Tokens.Table, width: number): Line[] {
  const cells = [header, ...rows].map((row, index) =>
    row.map(({ tokens }) =>
      spanLines(inlineSpans(tokens, index === 0 ? ['bold'] : [])).flatMap((line, at) => (at > 0 ? [{ text: ' ' }, ...line] : line)),
    ),
  );
  const [head = [], ...body] = cells;
  const wanted = header.map((_, column) => Math.max(1, ...cells.map((row) => lineWidth(row[column] ?? []))));
  const widths = fitted(wanted, width - (header.length - 1) * SEPARATOR.text.length);
  if (widths === undefined) return asRecords(head, body, width);
  const lines = cells.map((row) => {
    const wrapped = widths.map((cellWidth, column) => wrapSpans(row[column] ?? [], cellWidth));
    const height = Math.max(...wrapped.map((cell) => cell.length));
    return Array.from({ length: height }, (__, at): Line =>
      widths.flatMap((cellWidth, column) => [
        ...(column > 0 ? [SEPARATOR] : []),
        ...padded(wrapped[column]?.[at] ?? [], cellWidth, header[column]?.align ?? null, column === widths.length - 1),
      ]),
    );
  });
  const rule: Line = [{ text: widths.map((cellWidth) => '─'.repeat(cellWidth)).join('─┼─'), styles: ['dim'] }];
  return [...(lines[0] ?? []), rule, ...lines.slice(1).flat()];
}
