import type { DescribedTrial } from '@synapse/hands';
import { cutSection, MIN_COLUMNS, MIN_ROWS, wrap, type QuestionScreen, type ScreenLine, type ScreenSize } from './question-screen.ts';

const STYLES = { plain: undefined, added: 'green', removed: 'red' } as const;
/** Rows that what the command said may take, where not everything fits. */
const OUTPUT_ROWS = 4;

const ENDS: Record<DescribedTrial['completion'], string> = { ok: 'succeeded', failed: 'failed', timeout: 'timed out' };

function choices({ blocked }: DescribedTrial): string[] {
  return [
    ...(blocked === undefined ? ['y  yes, change exactly this; the command does not run again'] : [`It cannot be applied: ${blocked}.`]),
    'b  back to the question        n  no        v  show all of it',
  ];
}

/** Lays out what a command did on a copy, so that it ends on the screen that it begins on. */
export function effectScreen(trial: DescribedTrial, { columns, rows }: ScreenSize): QuestionScreen {
  const width = Math.max(MIN_COLUMNS, columns) - 1;
  const wrapped = (lines: readonly ScreenLine[]): ScreenLine[] => lines.flatMap((line) => wrap(line, width));
  const styled = (lines: DescribedTrial['changes']): ScreenLine[] =>
    wrapped(lines.map(({ kind, text }) => ({ text: `  ${text}`, ...(STYLES[kind] === undefined ? {} : { style: STYLES[kind] }) })));
  const heading = wrapped([
    { text: '-- Tried on a copy '.padEnd(width, '-'), style: 'yellow' },
    { text: `It ran without network and ${ENDS[trial.completion]}. Nothing in the workspace has changed.` },
  ]);
  const changes = styled(trial.changes);
  const output = styled(trial.output);
  const notes = wrapped(trial.notes.map((text) => ({ text: `  ${text}`, style: 'yellow' })));
  const titles = {
    changes: [{ text: changes.length === 0 ? 'It changed nothing.' : 'It changed there:' }],
    output: output.length === 0 ? [] : [{ text: 'It said:' }],
  };
  const footer = wrapped(choices(trial).map((text) => ({ text: `  ${text}` })));
  const whole = [...heading, ...titles.changes, ...changes, ...notes, ...titles.output, ...output];
  const room = Math.max(MIN_ROWS, rows) - footer.length - 2;
  if (whole.length <= room && rows >= MIN_ROWS) return { lines: [...whole, ...footer], footer, cut: false, whole };
  // What it changed is what is decided on.
  let left = room - heading.length - titles.changes.length - titles.output.length;
  const saidRows = Math.min(output.length, OUTPUT_ROWS, Math.max(0, left - changes.length - notes.length) || 1);
  left -= saidRows;
  const noteRows = Math.min(notes.length, Math.max(1, Math.floor(left / 3)));
  const changeRows = Math.max(1, left - noteRows);
  const lines = [
    ...heading,
    ...titles.changes,
    ...cutSection(changes, changeRows),
    ...cutSection(notes, noteRows),
    ...titles.output,
    ...cutSection(output, saidRows),
    ...footer,
  ];
  return { lines, footer, cut: true, whole };
}
