import type { DescribedRequest, RequestLine } from '@synapse/hands';
import { cells } from '../cells.ts';
import type { Style } from '../output.ts';

/** How large a terminal is. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** A line of the screen. */
export interface ScreenLine {
  readonly text: string;
  readonly style?: Style;
}

/** A question laid out for a screen. */
export interface QuestionScreen {
  /** What fits, ending with the choices. */
  readonly lines: readonly ScreenLine[];
  /** The choices, with which `lines` ends. */
  readonly footer: readonly ScreenLine[];
  /** Whether something did not fit. Then nothing may be allowed before `whole` was seen. */
  readonly cut: boolean;
  /** All of it. */
  readonly whole: readonly ScreenLine[];
}

const STYLES = { plain: 'bold', added: 'green', removed: 'red' } as const satisfies Record<RequestLine['kind'], Style>;
/** Fewer lines or columns than these are no screen to decide on. */
export const MIN_ROWS = 12;
export const MIN_COLUMNS = 20;

/** Breaks a line where the screen would, with the rest set in. */
export function wrap({ text, style }: ScreenLine, columns: number): ScreenLine[] {
  const indent = /^ */u.exec(text)?.[0].slice(0, 8) ?? '';
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of text) {
    if (width + cells(character) > columns) {
      rows.push(row);
      row = indent;
      width = indent.length;
    }
    row += character;
    width += cells(character);
  }
  rows.push(row);
  return rows.map((part) => ({ text: part, ...(style === undefined ? {} : { style }) }));
}

/** The beginning and the end of a section, and in between how much is missing. */
export function cutSection(lines: readonly ScreenLine[], room: number): readonly ScreenLine[] {
  if (lines.length <= room) return lines;
  const kept = Math.max(0, room - 1);
  const head = Math.ceil(kept / 2);
  const missing: ScreenLine = { text: `  ⟨${lines.length - kept} lines are not shown: v⟩`, style: 'yellow' };
  return [...lines.slice(0, head), missing, ...lines.slice(lines.length - (kept - head))];
}

function choices({ proposals, canTry }: DescribedRequest): string[] {
  const numbers = proposals.length > 1 ? proposals.map((_, index) => index + 1) : [];
  const pick = (letter: string): string => (numbers.length === 0 ? letter : numbers.map((number) => `${letter}${number}`).join('/'));
  return [
    'y  yes, this once',
    ...(proposals.length === 0
      ? []
      : [`${pick('s')}  yes, and by this rule until the session ends`, `${pick('a')}  yes, and by this rule here for 30 days`]),
    ...(canTry ? ['t  try it first: run it on a copy, without network, and see what it changes'] : []),
    'n  no        v  show all of it',
  ];
}

const firstRow = (text: string, width: number): string => wrap({ text }, width)[0]?.text ?? '';

function proposalLines({ proposals }: DescribedRequest, width: number): ScreenLine[] {
  return proposals.flatMap(({ rules, covers, doesNotCover }, index): ScreenLine[] => [
    ...rules.map((rule, at): ScreenLine => ({ text: `${at > 0 ? '    ' : `  ${proposals.length > 1 ? index + 1 : ' '} `}${rule}` })),
    // Examples explain, and may end at the edge.
    { text: firstRow(`      also runs: ${covers}`, width), style: 'dim' },
    { text: firstRow(`      still asks: ${doesNotCover}`, width), style: 'dim' },
  ]);
}

/** Lays a question out so that it ends on the screen that it begins on. */
export function questionScreen(described: DescribedRequest, { columns, rows }: ScreenSize): QuestionScreen {
  const width = Math.max(MIN_COLUMNS, columns) - 1;
  const wrapped = (lines: readonly ScreenLine[]): ScreenLine[] => lines.flatMap((line) => wrap(line, width));
  const heading = wrapped([{ text: `-- Allow this? ${described.heading} `.padEnd(width, '-'), style: 'yellow' }]);
  const body = wrapped(described.body.map(({ kind, text }) => ({ text: `  ${text}`, style: STYLES[kind] })));
  const effects = wrapped(
    [{ text: 'It' }, ...described.effects.map((effect) => ({ text: `  ${effect}` }))].slice(described.effects.length === 0 ? 1 : 0),
  );
  const reason = wrapped([{ text: `Asked because ${described.reason}`, style: 'dim' }]);
  const rules = described.proposals.length === 0 ? [] : [{ text: 'Rules that can be kept:' }, ...wrapped(proposalLines(described, width))];
  const footer = wrapped(choices(described).map((text) => ({ text: `  ${text}` })));
  const whole = [...heading, ...body, ...effects, ...reason, ...rules];
  // One row is for the answer, one stays free for the cursor after it.
  const room = Math.max(MIN_ROWS, rows) - heading.length - footer.length - 2;
  if (whole.length - heading.length <= room && rows >= MIN_ROWS) return { lines: [...whole, ...footer], footer, cut: false, whole };
  // What happens counts most; the rest shares what it leaves.
  const least = [effects, reason, rules].map(({ length }, index) => Math.min(length, index === 0 ? 4 : 2));
  const reserved = least.reduce((sum, length) => sum + length, 0);
  const bodyRoom = Math.min(body.length, Math.max(3, room - reserved));
  let left = room - bodyRoom;
  const rest = [effects, reason, rules].map((section, index) => {
    const later = least.slice(index + 1).reduce((sum, length) => sum + length, 0);
    const lines = cutSection(section, Math.max(1, Math.min(section.length, left - later)));
    left -= lines.length;
    return lines;
  });
  return { lines: [...heading, ...cutSection(body, bodyRoom), ...rest.flat(), ...footer], footer, cut: true, whole };
}
