/**
 * Synapse hands as an MCP server.
 *
 * @module
 */
export { runMcpServer } from './run-mcp-server.ts';
export type { McpServerOptions } from './run-mcp-server.ts';
export { callResult } from './call-result.ts';
export type { McpCallResult, McpContentBlock } from './call-result.ts';
