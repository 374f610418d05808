import type { Output } from '../output/output.ts';
import { TOKEN_VARIABLE, type ClientDefinition, type ClientName, type Scope } from './clients.ts';
import type { FileEdit } from './file-edits.ts';
import { isOnPath, type Server } from './find-server.ts';
import type { InstallPlan } from './plan-install.ts';

/** Describes what a plan does to the file with the entry. */
const TOLD: Record<InstallPlan['status'], (title: string) => string> = {
  install: (title) => `The server will be added to the configuration of ${title}`,
  update: (title) => `${title} has a server of this name; it will be replaced`,
  remove: (title) => `The server will be removed from the configuration of ${title}`,
  unchanged: (title) => `${title} has the server already; nothing to do`,
  absent: (title) => `${title} has no such server; nothing to do`,
};

export const forgets = ({ title }: ClientDefinition): string => `${title} forgets the server when it starts again.`;

/** Shows the whole command before the confirmation: a diff of a one-line file shows only its beginning. */
function beyond(diff: string, server: Server): string {
  const all = server.kind === 'command' ? [server.command, ...server.words] : [server.url];
  const what = server.kind === 'command' ? 'It starts' : 'It asks';
  return all.every((word) => diff.includes(JSON.stringify(word))) ? '' : `${what}: ${all.map((word) => JSON.stringify(word)).join(' ')}\n`;
}

/**
 * Shows the change to one file.
 *
 * @param server the server, if this file has its entry
 */
function tellEdit(err: Output, client: ClientDefinition, edit: FileEdit, server: Server | undefined): void {
  const { file, named, plan, changes, deletes, diff } = edit;
  if (server !== undefined || plan.status !== 'unchanged') err.write(`${TOLD[plan.status](client.title)}.\n`);
  const state = file.bytes === undefined ? (changes ? ' (new)' : ' (not there)') : '';
  err.write(`${file.path}${file.linked ? `, which ${named} is a link to` : ''}${state}\n`, 'bold');
  if (changes) err.write(`${diff}\n`);
  if (changes && server !== undefined) err.write(beyond(diff, server));
  if (deletes) err.write('Nothing is left in the file, which was made for the server: it is deleted.\n');
}

/** Shows all changes, with what belongs to the server at the first one. */
export function tellEdits(err: Output, client: ClientDefinition, edits: readonly FileEdit[], server: Server | undefined): void {
  for (const edit of edits) tellEdit(err, client, edit, edit === edits[0] ? server : undefined);
}

/** The facts to print after everything is written. */
export interface Installed {
  readonly scope: Scope;
  readonly server: Server;
  /** The command line of the server. */
  readonly words: readonly string[];
  /** The folder that was named. */
  readonly workspace: string | undefined;
  readonly after: string;
  /** What `--only` could not turn off; undefined without that option. */
  readonly left: string | undefined;
}

/** Prints what to do next. */
export function tellNext(err: Output, client: ClientDefinition, { scope, server, words, workspace, after, left }: Installed): void {
  err.write(`Done. ${after}\n`);
  if (left !== undefined) err.write(`${left}\n`, 'yellow');
  if (server.kind === 'address') {
    const port = new URL(server.url).port;
    err.write(`Start the server with: ${['synapse', 'mcp', '--http', '--port', port, '--workspace', workspace ?? '.', ...words].join(' ')}\n`);
    const way = client.asksForToken === true ? 'asks for the token once' : `reads the token from a variable: export ${TOKEN_VARIABLE}="$(cat FILE)"`;
    err.write(`The server names the file of its token. ${client.title} ${way}\n`);
  } else if (scope === 'project') {
    if (isOnPath()) err.write('The entry starts `synapse` from the PATH, so others can share it.\n', 'dim');
    else err.write('The entry starts `synapse` from the PATH, where it is not yet: npm start -- link puts it there.\n', 'yellow');
  } else if (workspace === undefined) {
    err.write(`It serves the folder that ${client.title} has open, where that is a tracked project (synapse projects add).\n`, 'dim');
  }
}

interface Facts {
  readonly name: ClientName;
  readonly client: ClientDefinition;
  readonly scope: Scope;
  readonly server: Server | undefined;
  readonly after: string;
  /** The first file is the one with the entry. */
  readonly edits: readonly FileEdit[];
  readonly done: boolean;
}

/** The same as JSON. */
export function installFacts({ name, client, scope, server, after, edits, done }: Facts): object {
  const [entry, ...files] = edits.map(({ file, plan, diff }) => ({ file: file.path, linked: file.linked, status: plan.status, diff }));
  return { client: name, scope, ...entry, done, server, after: server === undefined ? forgets(client) : after, files };
}
