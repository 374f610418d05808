import { homedir } from 'node:os';
import { readGivenServers } from '../mcp-client/config/read-server.ts';
import { readServers, type ServerFolders, type ServerList } from '../mcp-client/config/read-servers.ts';
import type { McpOptions } from '../mcp-client/mcp-options.ts';
import type { HandsOptions } from './hands-options.ts';
import { isTrusted } from '../projects/trust.ts';

/** The MCP options; undefined if MCP is off. */
export function mcpOptions({ mcp }: HandsOptions): McpOptions | undefined {
  return mcp === true ? {} : mcp === false ? undefined : mcp;
}

/** The MCP servers that these hands may use; undefined if MCP is off. */
export function listServers(
  options: HandsOptions,
  { stateFolder, ...folders }: ServerFolders & { readonly stateFolder: string },
): ServerList | undefined {
  const mcp = mcpOptions(options);
  if (mcp === undefined) return undefined;
  const variables = { environment: process.env, workspace: folders.project, home: homedir() };
  const given = readGivenServers(mcp.servers ?? {}, variables);
  if (mcp.files === false) return { servers: given, trusted: isTrusted(folders.project, stateFolder), problems: [], searchAbove: undefined };
  return readServers(folders, given, isTrusted(folders.project, stateFolder), variables);
}
