/**
 * The MCP servers whose tools the hands offer in addition to the built-in tools.
 * @module
 */
export type { McpOptions } from './mcp-client/mcp-options.ts';
export type { PendingTool, McpServers, McpServerState, McpServerStatus } from './mcp-client/mcp-status.ts';
export type { ConnectionFacts } from './mcp-client/remote-server.ts';
export type { ProjectReview } from './mcp-client/pins/review-project.ts';
