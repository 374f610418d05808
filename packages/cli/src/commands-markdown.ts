import { COMMANDS } from './command-table.ts';

/** The table of commands for the README. */
export function commandsMarkdown(): string {
  const rows = COMMANDS.map(({ name, arguments: positional, summary, examples }) => {
    const form = ['synapse', name, ...Object.keys(positional)].join(' ');
    return `| \`${form}\` | ${summary} | \`${examples[0]?.[0] ?? ''}\` |`;
  });
  return ['| command | does | example |', '| --- | --- | --- |', ...rows, ''].join('\n');
}
