import { nearest } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { CLIENT_TABLE, CLIENTS, type ClientDefinition, type ClientName, type ClientScope, type Machine, type Scope } from './clients.ts';

/** The client that the options name. */
export function findClient(name: string | undefined): { readonly name: ClientName; readonly client: ClientDefinition } {
  const found = CLIENTS.find((one) => one === name);
  if (found !== undefined) return { name: found, client: CLIENT_TABLE[found] };
  const near = name === undefined ? [] : nearest(name, CLIENTS);
  throw new SynapseError(
    'invalid_arguments',
    name === undefined ? 'It takes --client.' : `--client does not know ${JSON.stringify(name.slice(0, 40))}.`,
    {
      hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}The clients are: ${CLIENTS.join(', ')}.`,
    },
  );
}

/** The scope that the options name. Default: the project, if the client supports it. */
export function findScope(client: ClientDefinition, { project, user }: { readonly project: boolean; readonly user: boolean }): [Scope, ClientScope] {
  if (project && user) throw new SynapseError('invalid_arguments', '--project and --user exclude each other.', { hint: 'Give one of them.' });
  const wanted: readonly Scope[] = project ? ['project'] : user ? ['user'] : ['project', 'user'];
  for (const name of wanted) {
    const scope = client.scopes[name];
    if (scope !== undefined) return [name, scope];
  }
  const has = Object.keys(client.scopes).map((name) => `--${name}`);
  throw new SynapseError('invalid_arguments', `${client.title} has no configuration for --${wanted.join(' and --')}.`, {
    hint: `It has ${has.join(', ')}.`,
  });
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not a folder, or not accessible: opening the file reports the error.
    return false;
  }
}

/** The file that a client reads: the first one that exists. */
export function findFile(scope: ClientScope, machine: Machine, project: string): string {
  const files = scope.files(machine).map((file) => resolve(project, file));
  return files.find(isThere) ?? files[0] ?? project;
}
