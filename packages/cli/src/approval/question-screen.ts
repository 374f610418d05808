import type { DescribedRequest, RequestLine } from '@synapse/hands/internal';
import { cells } from '../output/columns.ts';
import type { Style } from '../output/output.ts';

/** The size of a terminal. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** A line of the screen. */
export interface ScreenLine {
  readonly text: string;
  readonly style?: Style;
  /** Our own sentences, wrapped at words; everything else is wrapped at the edge of the screen. */
  readonly isProse?: boolean;
}

/** A question laid out for a screen. */
export interface QuestionScreen {
  /** What fits, ending with the choices. */
  readonly lines: readonly ScreenLine[];
  /** The choices, which are also the end of `lines`. */
  readonly footer: readonly ScreenLine[];
  /** Whether part of the effect did not fit. Then `whole` must be viewed before anything can be allowed. */
  readonly cut: boolean;
  /** Whether a proposed rule did not fit. Then `whole` must be viewed before a rule can be saved. */
  readonly cutRules: boolean;
  /** The full text. */
  readonly whole: readonly ScreenLine[];
}

const STYLES = { plain: 'bold', added: 'green', removed: 'red' } as const satisfies Record<RequestLine['kind'], Style>;
/** The smallest screen to decide on, in lines and columns. */
export const MIN_ROWS = 12;
export const MIN_COLUMNS = 20;

/** Wraps a line at the edge of the screen and indents the rest. */
export function wrap({ text, style, isProse = false }: ScreenLine, columns: number): ScreenLine[] {
  const indent = /^ */u.exec(text)?.[0].slice(0, 8) ?? '';
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of text) {
    if (width + cells(character) > columns) {
      const word = isProse && character !== ' ' ? (/ (?<word>\S{1,20})$/u.exec(row)?.groups?.['word'] ?? '') : '';
      rows.push(word === '' ? row : row.slice(0, -word.length - 1));
      row = indent + word;
      width = indent.length;
      for (const one of word) width += cells(one);
      if (isProse && character === ' ') continue;
    }
    row += character;
    width += cells(character);
  }
  rows.push(row);
  return rows.map((part) => ({ text: part, ...(style === undefined ? {} : { style }) }));
}

/** The beginning and the end of a section, with the number of omitted lines between. */
export function cutSection(lines: readonly ScreenLine[], room: number): readonly ScreenLine[] {
  if (lines.length <= room) return lines;
  const kept = Math.max(0, room - 1);
  const head = Math.ceil(kept / 2);
  const missing: ScreenLine = { text: `  ⟨${lines.length - kept} lines are not shown: v⟩`, style: 'yellow' };
  return [...lines.slice(0, head), missing, ...lines.slice(lines.length - (kept - head))];
}

function choices({ proposals, canTry }: DescribedRequest, session: boolean): string[] {
  const numbers = proposals.length > 1 ? proposals.map((_, index) => index + 1) : [];
  const pick = (letter: string): string => (numbers.length === 0 ? letter : numbers.map((number) => `${letter}${number}`).join('/'));
  const keeps = proposals.length > 0;
  return [
    'y  yes, this once',
    ...(keeps && session ? [`${pick('s')}  yes, and by this rule until the session ends`] : []),
    ...(keeps ? [`${pick('a')}  yes, and by this rule here for 30 days`] : []),
    ...(canTry ? ['t  try it first: run it on a copy, without network, and see what it changes'] : []),
    'n  no        v  show all of it',
  ];
}

/** The proposed rules, with examples of what each one covers. They must be visible before one is saved. */
function proposalLines({ proposals }: DescribedRequest, examples: boolean): ScreenLine[] {
  return proposals.flatMap(({ rules, covers, doesNotCover }, index): ScreenLine[] => [
    ...rules.map((rule, at): ScreenLine => ({ text: `${at > 0 ? '    ' : `  ${proposals.length > 1 ? index + 1 : ' '} `}${rule}` })),
    ...(examples ? [`      also runs: ${covers}`, `      still asks: ${doesNotCover}`] : []).map((text): ScreenLine => ({ text, style: 'dim' })),
  ]);
}

/**
 * Lays out a question so that it fits one screen.
 *
 * @param session whether rules can be saved for a session that outlives this call
 */
export function questionScreen(described: DescribedRequest, { columns, rows }: ScreenSize, session = true): QuestionScreen {
  const width = Math.max(MIN_COLUMNS, columns) - 1;
  const wrapped = (lines: readonly ScreenLine[]): ScreenLine[] => lines.flatMap((line) => wrap(line, width));
  const heading = wrapped([{ text: `-- Allow this? ${described.heading} `.padEnd(width, '-'), style: 'yellow' }]);
  const body = wrapped(described.body.map(({ kind, text }) => ({ text: `  ${text}`, style: STYLES[kind] })));
  const effects = wrapped(
    [{ text: 'It' }, ...described.effects.map((effect) => ({ text: `  ${effect}` }))].slice(described.effects.length === 0 ? 1 : 0),
  );
  const reason = wrapped([{ text: `Asked because ${described.reason}`, style: 'dim', isProse: true }]);
  const rulesWith = (examples: boolean): ScreenLine[] =>
    described.proposals.length === 0 ? [] : [{ text: 'Rules that can be kept:' }, ...wrapped(proposalLines(described, examples))];
  const rules = rulesWith(false);
  const footer = wrapped(choices(described, session).map((text) => ({ text: `  ${text}`, isProse: true })));
  const whole = [...heading, ...body, ...effects, ...reason, ...rulesWith(true)];
  // One row for the answer, and one for the cursor after it.
  const room = Math.max(MIN_ROWS, rows) - heading.length - footer.length - 2;
  const fits = (sections: readonly (readonly ScreenLine[])[]): boolean =>
    rows >= MIN_ROWS && sections.reduce((sum, section) => sum + section.length, 0) <= room;
  const what = [body, effects, reason];
  for (const shown of [rulesWith(true), rules])
    if (fits([...what, shown])) return { lines: [...heading, ...what.flat(), ...shown, ...footer], footer, cut: false, cutRules: false, whole };
  // The whole effect is visible: enough for allowing it once.
  if (fits([...what, rules.slice(0, 2)])) {
    const left = room - what.reduce((sum, section) => sum + section.length, 0);
    return { lines: [...heading, ...what.flat(), ...cutSection(rules, left), ...footer], footer, cut: false, cutRules: true, whole };
  }
  // The effect comes first; the rest shares the remaining rows.
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
  return { lines: [...heading, ...cutSection(body, bodyRoom), ...rest.flat(), ...footer], footer, cut: true, cutRules: true, whole };
}
