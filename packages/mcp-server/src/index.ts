/**
 * Synapse hands as an MCP server.
 *
 * @module
 */
export { DEFAULT_PORT, runMcpHttpServer, runMcpServer } from './run-mcp-server.ts';
export type { HandsElsewhere, HttpListening, McpHttpOptions, McpOffer, McpServerOptions } from './mcp-offer.ts';
export { callResult } from './call-tool.ts';
export type { McpCallResult } from './call-tool.ts';
export type { McpContentBlock } from './content-block.ts';
export type { McpPrompt, McpPromptArgument, McpPromptMessage } from './context/prompt.ts';
export type { McpResource, McpResourceContent, ResourceRequest } from './context/resource.ts';
export { auditResources } from './context/audit-resources.ts';
export type { AuditPlace } from './context/audit-resources.ts';
export { spillResources } from './context/spill-resources.ts';
export { ensureTokenFile, readTokenFile } from './http/token-file.ts';
export type { StoredToken } from './http/token-file.ts';
export { TOOL_PRESETS } from './tool-presets.ts';
