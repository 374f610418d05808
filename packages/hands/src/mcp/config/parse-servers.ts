import {
  findNodeAtLocation,
  getLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  stripComments,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { placeOf } from '../../policy/load-policy.ts';
import { displayText } from '../../workspace/byte-name.ts';
import { readServer, ServerProblem, type ServerContext } from './read-server.ts';
import type { ConfigProblem, ServerConfig } from './server-config.ts';

/** Servers of one file. Nobody has so many; a generated file could. */
const MAX_SERVERS = 100;
const MAX_PROBLEMS = 50;

/** A file that may name servers. */
export interface ServerFile extends Omit<ServerContext, 'origin'> {
  /** The path as it is shown. */
  readonly label: string;
  /** JSON with comments and trailing commas. */
  readonly text: string;
  /** The keys that lead to the servers, such as `mcpServers`. */
  readonly keys: readonly string[];
  /** Whether the file may be about other things and say nothing of servers. */
  readonly shared: boolean;
}

/** What a file says about servers. */
export interface ParsedServers {
  readonly servers: readonly ServerConfig[];
  /** What is wrong, each with its place; the other servers count all the same. */
  readonly problems: readonly ConfigProblem[];
}

const shownKey = (path: readonly (string | number)[]): string => displayText(path.join('.').slice(0, 200));

/** Reads the servers of a file. Never throws: what is wrong is told, and what is not counts. */
export function parseServers(file: ServerFile): ParsedServers {
  const problems: ConfigProblem[] = [];
  const complain = (offset: number, path: readonly (string | number)[], message: string): void => {
    if (problems.length >= MAX_PROBLEMS) return;
    problems.push(`${file.label}:${placeOf(file.text, offset)}: ${path.length === 0 ? '' : `${shownKey(path)}: `}${message}.`);
  };
  const text = file.text.replace(/^\ufeff/u, ' ');
  if (stripComments(text).trim() === '') return { servers: [], problems };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  // The parser stumbles on from one mistake to the next: the first is the one that was made.
  if (first !== undefined) {
    const { path } = getLocation(text, first.offset);
    complain(
      first.offset,
      path.filter((step) => step !== ''),
      `this is not JSON (${printParseErrorCode(first.error)}), so nothing from here on counts`,
    );
  }
  const readUpTo = first?.offset ?? Number.POSITIVE_INFINITY;
  if (root === undefined || root.type !== 'object') {
    if (first === undefined) complain(root?.offset ?? 0, [], `this must be an object with "${file.keys[0] ?? ''}"`);
    return { servers: [], problems };
  }
  const holder = findNodeAtLocation(root, [...file.keys]);
  if (holder === undefined) {
    if (!file.shared && first === undefined) complain(root.offset, [], `there is no "${file.keys.join('.')}"`);
    return { servers: [], problems };
  }
  if (holder.type !== 'object') {
    complain(holder.offset, file.keys, 'this must be an object that has a server under each name');
    return { servers: [], problems };
  }
  const servers = new Map<string, ServerConfig>();
  const names = new Set<string>();
  for (const property of holder.children ?? []) {
    const [key, node] = property.children ?? [];
    if (key === undefined || node === undefined || node.offset + node.length > readUpTo) continue;
    const name = String(key.value);
    const path = [...file.keys, name];
    // Other readers of the file take the last one: which of the two a person has seen is not known.
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
  return { servers: [...servers.values()], problems };
}

/** Where a key of a server stands, or the server itself where it is missing. */
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
