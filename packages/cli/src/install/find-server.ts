import { defaultStateFolder, openRoot } from '@synapse/hands/internal';
import { DEFAULT_PORT } from '@synapse/mcp-server';
import { SynapseError } from '@synapse/protocol';
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { ClientDefinition, Scope, ServerAddress, ServerCommand } from './clients.ts';
import { assertLiteral, launchCommand } from './launch-command.ts';

/** How entries in a shared project start the server: by name. */
const COMMAND = 'synapse';

/** What a client starts or connects to. */
export type Server = ({ readonly kind: 'command' } & ServerCommand) | ({ readonly kind: 'address' } & ServerAddress);

/** A server's options on the command line. */
export interface ServerWish {
  /** The workspace that was named. */
  readonly workspace: string | undefined;
  /** The words of the command line, without the workspace. */
  readonly words: readonly string[];
  readonly http: boolean;
  readonly port: number | undefined;
}

/** The server for a client's entry. An entry in a project contains no paths of this machine. */
export function findServer(client: ClientDefinition, scope: Scope, { workspace, words, http, port = DEFAULT_PORT }: ServerWish): Server {
  if (http) {
    if (client.shapes.every(({ remote }) => remote === undefined)) {
      throw new SynapseError('invalid_arguments', `${client.title} takes no address with a token that is not in its file.`, {
        hint: 'Leave --http out: it then starts the server itself.',
      });
    }
    return { kind: 'address', url: `http://127.0.0.1:${port}/mcp` };
  }
  if (scope === 'user' && workspace === undefined && !client.tellsFolder) {
    throw new SynapseError('invalid_arguments', `${client.title} does not tell which folder it has open.`, {
      hint: 'Name the folder to serve with --workspace.',
    });
  }
  // The server is tested with a temporary workspace, so an error with this one would go unnoticed.
  const folder = workspace === undefined ? undefined : resolve(workspace);
  if (folder !== undefined) openRoot(folder, defaultStateFolder()).confinement[Symbol.dispose]();
  const own = scope === 'user' && folder !== undefined ? ['--workspace', folder] : [];
  const server = scope === 'user' ? launchCommand([...own, ...words]) : { command: COMMAND, words: ['mcp', ...words] };
  assertLiteral(client, server);
  return { kind: 'command', ...server };
}

/** Whether the command's name resolves to this program on the PATH. */
export function isOnPath(path = process.env['PATH'] ?? ''): boolean {
  const [program = ''] = launchCommand([]).words;
  return path.split(delimiter).some((folder) => {
    try {
      const found = join(folder, COMMAND);
      accessSync(found, constants.X_OK);
      return isAbsolute(folder) && realpathSync(found) === realpathSync(program);
    } catch {
      // Not in this folder: try the next one.
      return false;
    }
  });
}
