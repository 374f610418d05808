import { join } from 'node:path';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { toSynapseError } from '@synapse/protocol';
import { readConfiguration, readConfigurationFile } from '../../policy/configuration-files.ts';
import type { Variables } from './expand-variables.ts';
import { parseServers, type ServerFile } from './parse-servers.ts';
import type { ConfigProblem, ServerConfig } from './server-config.ts';

/** Where other clients keep the servers of a project, in the order in which they count. */
const PROJECT_FILES: ReadonlyArray<{ readonly path: readonly string[]; readonly keys: readonly string[] }> = [
  { path: ['.mcp.json'], keys: ['mcpServers'] },
  { path: ['.vscode', 'mcp.json'], keys: ['servers'] },
];
/** Where Synapse's own configuration has them. */
const OWN_KEYS = ['mcp', 'servers'];

/** The folders that servers are configured in. */
export interface ServerFolders {
  /** The user's configuration. */
  readonly user: string;
  /** The workspace's real path. */
  readonly project: string;
}

/** All that is configured for a workspace. */
export interface ServerList {
  /** One for each name; those of the project are not to be started unless a person trusts it. */
  readonly servers: readonly ServerConfig[];
  readonly trusted: boolean;
  readonly problems: readonly ConfigProblem[];
  /** From which number of tools on they are searched for instead of listed, where a configuration says so. */
  readonly searchAbove: number | undefined;
}

function searchAboveIn(text: string): number | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const value: unknown = root?.type === 'object' ? findNodeAtLocation(root, ['mcp', 'searchAbove'])?.value : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Reads the servers that all places name for a workspace; of one name the mightier place counts. Never throws:
 * a file that cannot be read is told of, and the others count.
 *
 * @param given the servers that a program named itself, which count most
 */
export function readServers({ user, project }: ServerFolders, given: readonly ServerConfig[], trusted: boolean, variables: Variables): ServerList {
  const problems: ConfigProblem[] = [];
  const files: ServerFile[] = [];
  let searchAbove: number | undefined;
  try {
    for (const { layer, label, text } of readConfiguration({ user, project }, () => trusted)) {
      if (layer !== 'managed' && layer !== 'user' && layer !== 'project') continue;
      files.push({ layer, label, text, keys: OWN_KEYS, shared: true, variables });
      if (layer !== 'project' || trusted) searchAbove ??= searchAboveIn(text);
    }
  } catch (error) {
    problems.push(toSynapseError(error).message);
  }
  for (const { path, keys } of PROJECT_FILES) {
    const label = join(project, ...path);
    try {
      const text = readConfigurationFile(label);
      if (text !== undefined) files.push({ layer: 'project', label, text, keys, shared: false, variables });
    } catch (error) {
      problems.push(toSynapseError(error).message);
    }
  }
  const servers = new Map(given.map((server) => [server.name, server]));
  for (const file of files) {
    const parsed = parseServers(file);
    problems.push(...parsed.problems);
    for (const server of parsed.servers) {
      const mightier = servers.get(server.name);
      if (mightier === undefined) servers.set(server.name, server);
      else problems.push(`${server.origin}: the server ${server.name} is the one of ${mightier.origin}; this one does not count.`);
    }
  }
  return { servers: [...servers.values()], trusted, problems, searchAbove };
}
