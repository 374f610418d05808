import { quoteWord } from '@synapse/hands/internal';

/** What to do after a report, as command lines to copy; quoted for folders with spaces. */
export function nextSteps(folder: string, environment: NodeJS.ProcessEnv): string {
  // Started by npm, such as with `npm start`: `synapse` may not be on the PATH.
  const synapse = environment['npm_command'] === undefined ? 'synapse' : 'npm start --';
  return [
    `  as an MCP server   ${synapse} mcp --workspace ${quoteWord(folder)}`,
    `  in a browser       ${synapse} console --workspace ${quoteWord(folder)} --open`,
    `  from code          await using hands = await createHands({ workspace: ${JSON.stringify(folder)} });`,
    `  another project    ${synapse} resurrect <dir>`,
    `  all commands       ${synapse} --help`,
    '',
  ].join('\n');
}
