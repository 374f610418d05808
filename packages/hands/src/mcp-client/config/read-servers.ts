import { join } from 'node:path';
import {
  findNodeAtLocation,
  getLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser';
import { toSynapseError } from '@synapse/protocol';
import { readConfiguration, readConfigurationFile } from '../../policy/configuration-files.ts';
import type { Variables } from './expand-variables.ts';
import type { ConfigProblem, ServerConfig } from './server-config.ts';
import { placeOf } from '../../policy/load-policy.ts';
import { displayText } from '../../workspace/byte-name.ts';
import { readServer, type ServerContext, ServerProblem } from './read-server.ts';

/** Maximum number of servers per file; a limit for generated files. */
const MAX_SERVERS = 100;
const MAX_PROBLEMS = 50;

/** A file that may configure servers. */
export interface ServerFile extends Omit<ServerContext, 'origin'> {
  /** The path to show. */
  readonly label: string;
  /** JSON with comments and trailing commas. */
  readonly text: string;
  /** The keys that lead to the servers, such as `mcpServers`. */
  readonly keys: readonly string[];
  /** Whether the file may have other content and no servers. */
  readonly shared: boolean;
}

/** The servers of a file. */
interface ParsedServers {
  readonly servers: readonly ServerConfig[];
  /** Problems with their positions; the other servers remain valid. */
  readonly problems: readonly ConfigProblem[];
}

const shownKey = (path: readonly (string | number)[]): string => displayText(path.join('.').slice(0, 200));

/** Reports a problem at an offset of a file. */
type Complain = (offset: number, path: readonly (string | number)[], message: string) => void;

/** What has the servers in a file, and up to where the file can be read. */
interface Holder {
  readonly node: Node;
  readonly readUpTo: number;
}

/** Reads the servers of a file. Never throws: invalid parts are reported and ignored. */
export function parseServers(file: ServerFile): ParsedServers {
  const problems: ConfigProblem[] = [];
  const complain: Complain = (offset, path, message) => {
    if (problems.length >= MAX_PROBLEMS) return;
    problems.push(`${file.label}:${placeOf(file.text, offset)}: ${path.length === 0 ? '' : `${shownKey(path)}: `}${message}.`);
  };
  const holder = findHolder(file, complain);
  return { servers: holder === undefined ? [] : readHolder(holder, file, complain), problems };
}

/** Only the first error is reported: the parser's later ones follow from it. */
function complainOf(first: ParseError | undefined, text: string, complain: Complain): void {
  if (first === undefined) return;
  const { offset, error } = first;
  const path = getLocation(text, offset).path.filter((step) => step !== '');
  complain(offset, path, `this is not JSON (${printParseErrorCode(error)}), so nothing from here on counts`);
}

/** Finds what has the servers in a file; undefined if nothing has, which is reported. */
function findHolder(file: ServerFile, complain: Complain): Holder | undefined {
  const text = file.text.replace(/^\ufeff/u, ' ');
  if (stripComments(text).trim() === '') return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  complainOf(first, text, complain);
  if (root === undefined || root.type !== 'object') {
    if (first === undefined) complain(root?.offset ?? 0, [], `this must be an object with "${file.keys[0] ?? ''}"`);
    return undefined;
  }
  const node = findNodeAtLocation(root, [...file.keys]);
  if (node?.type === 'object') return { node, readUpTo: first?.offset ?? Number.POSITIVE_INFINITY };
  if (node !== undefined) complain(node.offset, file.keys, 'this must be an object that has a server under each name');
  else if (!file.shared && first === undefined) complain(root.offset, [], `there is no "${file.keys.join('.')}"`);
  return undefined;
}

function readHolder({ node: holder, readUpTo }: Holder, file: ServerFile, complain: Complain): ServerConfig[] {
  const servers = new Map<string, ServerConfig>();
  const names = new Set<string>();
  for (const property of holder.children ?? []) {
    const [key, node] = property.children ?? [];
    if (key === undefined || node === undefined || node.offset + node.length > readUpTo) continue;
    const name = String(key.value);
    const path = [...file.keys, name];
    // Other readers use the last one, so it is unknown which of the two a user has seen.
    if (names.has(name)) {
      servers.delete(name);
      complain(key.offset, path, 'this name is there twice, so neither server counts');
      continue;
    }
    names.add(name);
    if (servers.size >= MAX_SERVERS) complain(key.offset, path, `more than ${MAX_SERVERS} servers are not read`);
    else {
      const server = readNode(name, node, file, (inner, message) => complain(placeIn(node, inner), [...path, ...inner], message));
      if (server !== undefined) servers.set(name, server);
    }
  }
  return [...servers.values()];
}

/** Returns the offset of a key of a server, or of the server if the key is missing. */
function placeIn(node: Node, key: readonly (string | number)[]): number {
  for (let length = key.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(node, key.slice(0, length));
    if (found !== undefined) return (found.parent?.type === 'property' ? found.parent : found).offset;
  }
  return node.offset;
}

function readNode(
  name: string,
  node: Node,
  file: ServerFile,
  complain: (key: readonly (string | number)[], message: string) => void,
): ServerConfig | undefined {
  try {
    const { config, notices } = readServer(name, getNodeValue(node), { variables: file.variables, layer: file.layer, origin: file.label });
    for (const { key, message } of notices) complain(key, message);
    return config;
  } catch (error) {
    if (!(error instanceof ServerProblem)) throw error;
    complain(error.key, error.message);
    return undefined;
  }
}

/** Project files of other clients, in order of precedence. */
const PROJECT_FILES: ReadonlyArray<{ readonly path: readonly string[]; readonly keys: readonly string[] }> = [
  { path: ['.mcp.json'], keys: ['mcpServers'] },
  { path: ['.vscode', 'mcp.json'], keys: ['servers'] },
];
/** The keys in Synapse's configuration. */
const OWN_KEYS = ['mcp', 'servers'];

/** The folders in which servers are configured. */
export interface ServerFolders {
  /** The user's configuration folder. */
  readonly user: string;
  /** Real path of the workspace. */
  readonly project: string;
}

/** All servers configured for a workspace. */
export interface ServerList {
  /** One per name; servers of the project must not be started unless the user trusts it. */
  readonly servers: readonly ServerConfig[];
  readonly trusted: boolean;
  readonly problems: readonly ConfigProblem[];
  /** Number of tools above which they are searched instead of listed, if configured. */
  readonly searchAbove: number | undefined;
}

function searchAboveIn(text: string): number | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const value: unknown = root?.type === 'object' ? findNodeAtLocation(root, ['mcp', 'searchAbove'])?.value : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Reads the servers that all sources configure for a workspace; for one name, the stronger source wins. Never throws:
 * an unreadable file is reported, and the others are used.
 *
 * @param given servers passed in code, which take precedence
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
