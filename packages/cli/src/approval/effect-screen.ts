import type { DescribedChanges, DescribedRequest, DescribedTrial } from '@synapse/hands';
import { cutSection, MIN_COLUMNS, MIN_ROWS, wrap, type QuestionScreen, type ScreenLine, type ScreenSize } from './question-screen.ts';

const STYLES = { plain: undefined, added: 'green', removed: 'red' } as const;
/** Rows that what the command said may take, where not everything fits. */
const OUTPUT_ROWS = 4;

const ENDS: Record<DescribedTrial['completion'], string> = { ok: 'succeeded', failed: 'failed', timeout: 'timed out' };

/** What stands around the changes. */
export interface EffectFrame {
  readonly title: string;
  /** What happened, before the changes. */
  readonly lead: readonly ScreenLine[];
  /** What is to be known beside them. */
  readonly notes: readonly ScreenLine[];
  readonly choices: readonly string[];
}

/** Around a trial that a person asked for. */
export function trialFrame({ blocked, completion }: DescribedTrial): EffectFrame {
  return {
    title: 'Tried on a copy',
    lead: [{ text: `It ran without network and ${ENDS[completion]}. Nothing in the workspace has changed.` }],
    notes: [],
    choices: [
      ...(blocked === undefined ? ['y  yes, change exactly this; the command does not run again'] : [`It cannot be applied: ${blocked}.`]),
      'b  back to the question        n  no        v  show all of it',
    ],
  };
}

/** Around the changes of a command that ran, of which a person is asked whether they count. */
export function changesFrame(described: DescribedRequest, changed: DescribedChanges): EffectFrame {
  const { proposals, body, reason } = described;
  const numbers = proposals.length > 1 ? proposals.map((_, index) => index + 1) : [];
  const pick = (letter: string): string => (numbers.length === 0 ? letter : numbers.map((number) => `${letter}${number}`).join('/'));
  return {
    title: `Apply this? ${described.heading}`,
    lead: [
      { text: `${changed.headline} It ran on a copy and ${ENDS[changed.completion]}; the workspace is unchanged.` },
      ...body.map(({ text }): ScreenLine => ({ text: `  ${text}`, style: 'bold' })),
    ],
    notes: [
      { text: `Asked because ${reason}`, style: 'dim' },
      ...proposals.flatMap(({ rules }, index): ScreenLine[] =>
        rules.map((rule) => ({ text: `  ${proposals.length > 1 ? index + 1 : ' '} ${rule}` })),
      ),
    ],
    choices: [
      'y  yes, apply exactly this; the command does not run again',
      ...(proposals.length === 0
        ? []
        : [
            `${pick('s')}  yes, and by this rule no question until the session ends`,
            `${pick('a')}  yes, and by this rule no question here for 30 days`,
          ]),
      'n  no, drop it        v  show all of it',
    ],
  };
}

/** Lays out what a command did on a copy, so that it ends on the screen that it begins on. */
export function effectScreen(trial: DescribedTrial, { columns, rows }: ScreenSize, frame: EffectFrame = trialFrame(trial)): QuestionScreen {
  const width = Math.max(MIN_COLUMNS, columns) - 1;
  const wrapped = (lines: readonly ScreenLine[]): ScreenLine[] => lines.flatMap((line) => wrap(line, width));
  const styled = (lines: DescribedTrial['changes']): ScreenLine[] =>
    wrapped(lines.map(({ kind, text }) => ({ text: `  ${text}`, ...(STYLES[kind] === undefined ? {} : { style: STYLES[kind] }) })));
  const heading = wrapped([{ text: `-- ${frame.title} `.padEnd(width, '-'), style: 'yellow' }, ...frame.lead]);
  const changes = styled(trial.changes);
  const output = styled(trial.output);
  const notes = wrapped([...trial.notes.map((text): ScreenLine => ({ text: `  ${text}`, style: 'yellow' })), ...frame.notes]);
  const titles = {
    changes: [{ text: changes.length === 0 ? 'It changed nothing.' : 'It changed there:' }],
    output: output.length === 0 ? [] : [{ text: 'It said:' }],
  };
  const footer = wrapped(frame.choices.map((text) => ({ text: `  ${text}` })));
  const whole = [...heading, ...titles.changes, ...changes, ...notes, ...titles.output, ...output];
  const room = Math.max(MIN_ROWS, rows) - footer.length - 2;
  if (whole.length <= room && rows >= MIN_ROWS) return { lines: [...whole, ...footer], footer, cut: false, whole };
  // What it changed is what is decided on.
  const top = cutSection(heading, Math.max(2, Math.floor(room / 3)));
  let left = room - top.length - titles.changes.length - titles.output.length;
  const saidRows = Math.min(output.length, OUTPUT_ROWS, Math.max(0, left - changes.length - notes.length) || 1);
  left -= saidRows;
  const noteRows = Math.min(notes.length, Math.max(1, Math.floor(left / 3)));
  const changeRows = Math.max(1, left - noteRows);
  const lines = [
    ...top,
    ...titles.changes,
    ...cutSection(changes, changeRows),
    ...cutSection(notes, noteRows),
    ...titles.output,
    ...cutSection(output, saidRows),
    ...footer,
  ];
  return { lines, footer, cut: true, whole };
}
