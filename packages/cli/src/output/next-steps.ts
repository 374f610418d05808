import { quoteWord } from '@synapse/hands/internal';

/** The width of the first column. */
const LABEL = 17;

/** What to do after a report, as command lines to copy; quoted for folders with spaces. */
export function nextSteps(folder: string, environment: NodeJS.ProcessEnv, columns = Number.POSITIVE_INFINITY): string {
  // Started by npm, such as with `npm start`: `synapse` may not be on the PATH.
  const synapse = environment['npm_command'] === undefined ? 'synapse' : 'npm start --';
  const steps = [
    ['as an MCP server', `${synapse} mcp --workspace ${quoteWord(folder)}`],
    ['in a browser', `${synapse} console --workspace ${quoteWord(folder)} --open`],
    ['from code', `await using hands = await createHands({ workspace: ${JSON.stringify(folder)} });`],
    ['another project', `${synapse} resurrect <dir>`],
    ['all commands', `${synapse} --help`],
  ] as const;
  return steps
    .map(([what, line]) => {
      const row = `  ${what.padEnd(LABEL)}  ${line}\n`;
      // A line to copy that does not fit beside its label is alone: a terminal would break it inside a word.
      return row.length - 1 <= columns ? row : `  ${what}\n    ${line}\n`;
    })
    .join('');
}
