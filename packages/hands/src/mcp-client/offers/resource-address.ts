import { serverName } from '../tool-name.ts';

/** Prefix of the URIs of upstream resources. */
const PREFIX = 'synapse://mcp/';
/** Maximum number of characters of a URI; longer ones are not legitimate. */
const MAX_CHARACTERS = 8_000;

/**
 * Returns the URI under which a resource or template of a server can be read through us. The server's text follows
 * its name, so it cannot refer to a resource of another server or ours; a template stays a template, with any operators.
 */
export function resourceAddress(server: string, uri: string): string {
  return `${PREFIX}${serverName(server)}/${uri}`;
}

/** Parses such a URI into the server and its URI; undefined for any other. */
export function readResourceAddress(address: string): { readonly server: string; readonly uri: string } | undefined {
  if (address.length > MAX_CHARACTERS) return undefined;
  const { server, uri } = /^synapse:\/\/mcp\/(?<server>[A-Za-z0-9_.-]+)\/(?<uri>.+)$/su.exec(address)?.groups ?? {};
  return server === undefined || uri === undefined ? undefined : { server, uri };
}
