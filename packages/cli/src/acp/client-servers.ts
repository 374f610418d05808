import { SynapseError } from '@synapse/protocol';

/**
 * Keeps a value of a client as it is. Values in configuration files may name variables, and a variable would put a secret of this process
 * into the value.
 */
const literal = (value: string): string => value.replaceAll('${', '${SYNAPSE_NO_SUCH_VARIABLE:-$}{');

const record = (pairs: readonly NamedValue[]): Record<string, string> => Object.fromEntries(pairs.map(({ name, value }) => [name, literal(value)]));

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** An MCP server that a client passes on. */
export type PassedServer =
  | { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: readonly NamedValue[] }
  | { readonly type: 'http' | 'sse'; readonly name: string; readonly url: string; readonly headers: readonly NamedValue[] };

function written(server: PassedServer): unknown {
  if ('type' in server) return { type: server.type, url: literal(server.url), headers: record(server.headers) };
  return { command: literal(server.command), args: server.args.map(literal), env: record(server.env) };
}

/**
 * The MCP servers that a client passes on, in the form of `.mcp.json`.
 *
 * @throws SynapseError `invalid_arguments` for two of one name
 */
export function clientServers(servers: readonly PassedServer[]): Record<string, unknown> {
  const found = new Map<string, unknown>();
  for (const server of servers) {
    if (found.has(server.name))
      throw new SynapseError('invalid_arguments', `Two MCP servers have the name ${JSON.stringify(server.name.slice(0, 80))}.`);
    found.set(server.name, written(server));
  }
  return Object.fromEntries(found);
}
