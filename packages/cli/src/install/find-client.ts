import { nearest } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { CLIENT_TABLE, CLIENTS, type ClientDefinition, type ClientScope, type Machine, type Scope } from './clients.ts';

/** The client that options name. */
export function findClient(name: string | undefined): ClientDefinition {
  const found = CLIENTS.find((one) => one === name);
  if (found !== undefined) return CLIENT_TABLE[found];
  const near = name === undefined ? [] : nearest(name, CLIENTS);
  throw new SynapseError(
    'invalid_arguments',
    name === undefined ? 'It takes --client.' : `--client does not know ${JSON.stringify(name.slice(0, 40))}.`,
    {
      hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}The clients are: ${CLIENTS.join(', ')}.`,
    },
  );
}

/** Whose configuration options mean: the project's, where the client has one and nothing else was said. */
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
    // A file stands where a folder should, or nobody may look: whoever opens it says so.
    return false;
  }
}

/** The file that a client reads: of several the first that is there. */
export function findFile(scope: ClientScope, machine: Machine, project: string): string {
  const files = scope.files(machine).map((file) => resolve(project, file));
  return files.find(isThere) ?? files[0] ?? project;
}
