import type { DescribedChanges, DescribedRequest, DescribedTrial } from '@synapse/hands/internal';
import { cutSection, MIN_COLUMNS, MIN_ROWS, wrap, type QuestionScreen, type ScreenLine, type ScreenSize } from './question-screen.ts';

const STYLES = { plain: undefined, added: 'green', removed: 'red' } as const;
/** Rows of what the changes mean that are shown whatever else there is. */
const LEAD_ROWS = 8;
/** The minimum number of rows for the command. It is shown in part in what happened. */
const COMMAND_ROWS = 1;

const ENDS: Record<DescribedTrial['completion'], string> = { ok: 'succeeded', failed: 'failed', timeout: 'timed out' };

/** The text around the changes. */
export interface EffectFrame {
  readonly title: string;
  /** What happened, shown before everything else. */
  readonly lead: readonly ScreenLine[];
  /** The command, shown before the changes. */
  readonly command: readonly ScreenLine[];
  /** Notes shown next to the changes. */
  readonly notes: readonly ScreenLine[];
  readonly choices: readonly string[];
}

/** The text around a dry run that a person asked for. */
export function trialFrame({ blocked, completion, meaning }: DescribedTrial): EffectFrame {
  return {
    title: 'Tried on a copy',
    lead: [
      ...meaning.map((sentence): ScreenLine => ({ text: `It ${sentence}.`, isProse: true })),
      { text: `It ran without network and ${ENDS[completion]}. Nothing in the workspace has changed.` },
    ],
    command: [],
    notes: [],
    choices: [
      ...(blocked === undefined ? ['y  yes, change exactly this; the command does not run again'] : [`It cannot be applied: ${blocked}.`]),
      'b  back to the question        n  no        v  show all of it',
    ],
  };
}

/** The text around the changes of a command that ran; the person decides whether to apply them. */
export function changesFrame(described: DescribedRequest, changed: DescribedChanges, session = true): EffectFrame {
  const { proposals, body, reason } = described;
  const numbers = proposals.length > 1 ? proposals.map((_, index) => index + 1) : [];
  const pick = (letter: string): string => (numbers.length === 0 ? letter : numbers.map((number) => `${letter}${number}`).join('/'));
  return {
    title: `Apply this? ${described.heading}`,
    lead: [{ text: `${changed.headline} It ${changed.ran} and ${ENDS[changed.completion]}; the workspace is unchanged.`, isProse: true }],
    command: body.map(({ text }): ScreenLine => ({ text: `  ${text}`, style: 'bold' })),
    notes: [
      { text: `Asked because ${reason}`, style: 'dim', isProse: true },
      ...proposals.flatMap(({ rules }, index): ScreenLine[] =>
        rules.map((rule) => ({ text: `  Rule ${proposals.length > 1 ? `${index + 1} ` : ''}that can be kept: ${rule}` })),
      ),
    ],
    choices: [
      'y  yes, apply exactly this; the command does not run again',
      ...(proposals.length > 0 && session ? [`${pick('s')}  yes, and by this rule no question until the session ends`] : []),
      ...(proposals.length > 0 ? [`${pick('a')}  yes, and by this rule no question here for 30 days`] : []),
      'n  no, drop it        v  show all of it',
    ],
  };
}

/**
 * Lays out the effect of a command so that it fits one screen. A yes applies the changes, so these and their notes must be
 * seen; the command and its output can be viewed with `v`.
 */
export function effectScreen(trial: DescribedTrial, { columns, rows }: ScreenSize, frame: EffectFrame = trialFrame(trial)): QuestionScreen {
  const width = Math.max(MIN_COLUMNS, columns) - 1;
  const wrapped = (lines: readonly ScreenLine[]): ScreenLine[] => lines.flatMap((line) => wrap(line, width));
  const styled = (lines: DescribedTrial['changes']): ScreenLine[] =>
    wrapped(lines.map(({ kind, text }) => ({ text: `  ${text}`, ...(STYLES[kind] === undefined ? {} : { style: STYLES[kind] }) })));
  const heading = wrapped([{ text: `-- ${frame.title} `.padEnd(width, '-'), style: 'yellow' }, ...frame.lead]);
  const command = wrapped(frame.command);
  const changes = [{ text: trial.changes.length === 0 ? 'It changed nothing.' : 'It changed there:' }, ...styled(trial.changes)];
  const notes = wrapped([...trial.notes.map((text): ScreenLine => ({ text: `  ${text}`, style: 'yellow' })), ...frame.notes]);
  const output = trial.output.length === 0 ? [] : [{ text: 'It said:' }, ...styled(trial.output)];
  const footer = wrapped(frame.choices.map((text) => ({ text: `  ${text}`, isProse: true })));
  const whole = [...heading, ...command, ...changes, ...notes, ...output];
  const room = Math.max(MIN_ROWS, rows) - footer.length - 2;
  if (whole.length <= room && rows >= MIN_ROWS) return { lines: [...whole, ...footer], footer, cut: false, cutRules: false, whole };
  const least = Math.min(output.length, 1);
  const lead = cutSection(heading, Math.min(LEAD_ROWS, Math.max(2, Math.floor(room / 2) - 1)));
  const commandRows = Math.max(COMMAND_ROWS, Math.min(room - changes.length - notes.length - least, Math.floor(room / 3)) - lead.length);
  const top = [...lead, ...cutSection(command, commandRows)];
  const left = room - top.length - least;
  const noteRows = Math.min(notes.length, Math.max(1, left - changes.length, Math.floor(left / 3)));
  const changeRows = Math.max(1, left - noteRows);
  const shown = [...cutSection(changes, changeRows), ...cutSection(notes, noteRows)];
  const cut = rows < MIN_ROWS || heading.length > lead.length || changes.length > changeRows || notes.length > noteRows;
  const lines = [...top, ...shown, ...cutSection(output, room - top.length - shown.length), ...footer];
  return { lines, footer, cut, cutRules: cut, whole };
}
