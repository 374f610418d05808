import { quoteWord } from '@synapse/hands';

/** What a person may do after a report, as lines to copy: a folder may have spaces in its name. */
export function howToGoOn(folder: string, environment: NodeJS.ProcessEnv): string {
  // Where npm runs this, as for `npm start`, there may be no synapse in the PATH.
  const synapse = environment['npm_command'] === undefined ? 'synapse' : 'npm start --';
  return [
    `  as an MCP server   ${synapse} mcp --workspace ${quoteWord(folder)}`,
    `  from code          await using hands = await createHands({ workspace: ${JSON.stringify(folder)} });`,
    `  another project    ${synapse} resurrect <dir>`,
    `  all commands       ${synapse} --help`,
    '',
  ].join('\n');
}
