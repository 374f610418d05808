/**
 * Synapse hands as an MCP server.
 *
 * @module
 */
export { runMcpServer } from './run-mcp-server.ts';
export type { McpServerOptions } from './run-mcp-server.ts';
export { toolDefinition } from './tool-definition.ts';
export type { McpToolDefinition, ToolAnnotations } from './tool-definition.ts';
export { callResult } from './call-result.ts';
export type { McpCallResult, McpContentBlock } from './call-result.ts';
export { slimSchema } from './slim-schema.ts';
export type { JsonSchema } from './slim-schema.ts';
