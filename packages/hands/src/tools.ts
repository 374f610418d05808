/**
 * The built-in tools, a registry for custom tools, and their descriptions for models.
 * @module
 */
export type { ProgressListener } from './tool/tool.ts';
export { ToolRegistry } from './runtime/registry.ts';
export { CANONICAL_TOOLS } from './tools/canonical-tools.ts';
export { describeInput } from './tool/describe-input.ts';
export { describeTool } from './providers/tool-description.ts';
export type { FullToolDescription, ToolAnnotations, ToolDescription } from './providers/tool-description.ts';
export { type JsonSchema, mapSubschemas } from './tool/json-schema.ts';
export { slimSchema } from './providers/input-schema.ts';
