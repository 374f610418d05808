import type { CommandEntry, CommandHelp } from './command.ts';
import { optionForm } from './option.ts';

/** The size of a small terminal. */
const COLUMNS = 80;
const ROWS = 24;
/** Commands listed first, in a separate group. */
const FIRST = 3;

/** Wraps a text to a width. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** Two columns; wraps the second. */
function table(rows: ReadonlyArray<readonly [string, string]>): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) =>
    wrap(right, COLUMNS - width - 4).map((line, index) => `  ${(index === 0 ? left : '').padEnd(width)}  ${line}`.trimEnd()),
  );
}

function section(lines: readonly string[], title?: string): string[] {
  return lines.length === 0 ? [] : ['', ...(title === undefined ? [] : [title]), ...lines];
}

/** `synapse call <tool> [input] [options]`. */
export function commandForm(name: string, help: CommandHelp): string {
  return ['synapse', name, ...Object.keys(help.arguments)].join(' ');
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`;
}

function examples(all: CommandHelp['examples']): string[][] {
  return all.map(([line, does]) => {
    const joined = `  ${line}  # ${does}`;
    return joined.length <= COLUMNS ? [joined] : [`  # ${does}`, `  ${line}`];
  });
}

/**
 * The help of a command. The short one fits a terminal of 80 by 24: it names rare options without describing them, and
 * shows as many examples as fit.
 *
 * @param below the subcommands
 */
export function commandHelp({ name, summary }: CommandEntry, help: CommandHelp, below: readonly CommandEntry[], full: boolean): string {
  const options = Object.entries(help.options);
  const hidden = full ? [] : options.filter(([, { rare }]) => rare === true);
  const shown = options.filter(([, option]) => !hidden.some(([, one]) => one === option));
  const lines = [
    `Usage: ${commandForm(name, help)}${options.length > 0 ? ' [options]' : ''}`,
    '',
    ...wrap(`${sentence(summary)}${help.details === undefined ? '' : ` ${help.details}`}`, COLUMNS),
    ...(full && help.notes !== undefined ? ['', ...wrap(help.notes, COLUMNS)] : []),
    ...section(table([...Object.entries(help.arguments), ...shown.map(([key, option]) => [optionForm(key, option), option.description] as const)])),
    ...section(hidden.length === 0 ? [] : wrap(`Also: ${hidden.map(([key, option]) => optionForm(key, option)).join(', ')}`, COLUMNS)),
    ...section(
      below.length === 0
        ? []
        : full
          ? table(below.map((entry) => [entry.name, entry.summary]))
          : wrap(`More commands: ${below.map((entry) => entry.name).join(', ')}`, COLUMNS),
    ),
  ];
  const more = ['', `All of it: synapse help ${name}`];
  const all = examples(help.examples);
  const whole = section(all.flat(), 'Examples:');
  if (full || (hidden.length === 0 && help.notes === undefined && lines.length + whole.length <= ROWS)) return `${[...lines, ...whole].join('\n')}\n`;
  const room = ROWS - lines.length - more.length - 2;
  const fitting = all.filter((_, index) => all.slice(0, index + 1).flat().length <= room);
  return `${[...lines, ...section(fitting.flat(), 'Examples:'), ...more].join('\n')}\n`;
}

/** The help of the program. */
export function programHelp(commands: readonly CommandEntry[]): string {
  const top = commands.filter(({ name }) => !name.includes(' '));
  const lines = table(top.filter(({ rare }) => rare !== true).map(({ name, summary }) => [name, summary] as const));
  const rare = top.filter((entry) => entry.rare === true).map(({ name }) => name);
  return [
    'Usage: synapse <command> [options]',
    '',
    ...lines.slice(0, FIRST),
    '',
    ...lines.slice(FIRST),
    ...(rare.length === 0 ? [] : wrap(`Also: ${rare.join(', ')}`, COLUMNS - 2).map((line) => `  ${line}`)),
    // Without an empty line before it, all of it fits a terminal.
    'Help on a command: synapse <command> --help',
    '',
  ].join('\n');
}
