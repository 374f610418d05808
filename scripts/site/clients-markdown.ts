import { posix } from 'node:path';
import { CLIENT_TABLE, CLIENTS, type ClientDefinition, type ClientName, type Machine } from '../../packages/cli/src/install/clients.ts';

/** A machine for the paths that pages show. */
const MACHINE: Machine = { platform: 'linux', home: '~', environment: {} };
const SERVER = { command: 'synapse', words: ['mcp', '--allow', 'write,exec'] };

const place = (path: string): string => (posix.isAbsolute(path) || path.startsWith('~') ? path : `${path}, in the project`);

function scopes({ scopes: { project, user } }: ClientDefinition, name: ClientName): string[] {
  const rows = [
    ...(project === undefined ? [] : ([['one project', '', project]] as const)),
    ...(user === undefined ? [] : ([['all projects', ' --user', user]] as const)),
  ];
  return rows.flatMap(([title, flag, scope]) => [
    `### For ${title}`,
    '',
    '```sh',
    `synapse mcp install --client ${name}${flag} --allow write,exec`,
    '```',
    '',
    `Writes \`${place(scope.files(MACHINE)[0] ?? '')}\`. ${scope.after}`,
    '',
  ]);
}

/** Formats an entry as the client reads it. TOML is shown by the command itself. */
function entry({ format, shapes: [{ keys, entry: make }] }: ClientDefinition): string[] {
  if (format === 'toml') return [];
  const around = [...keys, 'synapse'].reduceRight<unknown>((inner, key) => ({ [key]: inner }), make(SERVER));
  return ['## The entry', '', '```json', JSON.stringify(around, null, 2), '```', ''];
}

/** Formats the page of an MCP client. */
export function clientMarkdown(name: ClientName): string {
  const client = CLIENT_TABLE[name];
  const remote = client.shapes.some((shape) => shape.remote !== undefined);
  return [
    `# ${client.title}`,
    '',
    '## Install',
    '',
    'The command shows the change to the configuration, and asks. `--undo` gives the file back to the byte.',
    '',
    ...scopes(client, name),
    ...entry(client),
    '## Rules',
    '',
    '- `--allow write,exec` allows changes and commands. Without it, the client can only read.',
    `- \`--only\` turns off the client's own tools, so that Synapse has the only ones: [what is written](../quickstart-mcp.md#synapse-as-the-only-tools).`,
    client.tellsFolder
      ? '- A server for all projects works in the folder that the client has open, if it is tracked.'
      : '- The client does not say which folder is open: `--workspace DIR` names it.',
    ...(remote ? ['- `--http` connects to a running `synapse mcp --http` instead: [HTTP](../quickstart-mcp.md#http).'] : []),
    '- No tools? [My command failed, why?](../troubleshooting.md#clients)',
    '',
  ].join('\n');
}

/** The pages of all clients, by their paths on the site. */
export const clientPages = (): ReadonlyMap<string, string> => new Map(CLIENTS.map((name) => [`clients/${name}.md`, clientMarkdown(name)]));
