import type { AnyTool } from '@synapse/hands';
import * as z from 'zod';
import { slimSchema, type JsonSchema } from './slim-schema.ts';

/** What a client may assume of a call before it makes one. Hints, by the protocol's own words: no security rests on them. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as MCP's `tools/list` tells of it. */
export interface McpToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: ToolAnnotations;
}

/** How far a call can reach beyond the workspace: a command can reach anything. */
const OPEN_WORLD: Record<AnyTool['effects'], boolean> = { read: false, write: false, exec: true, net: true };

function annotations({ effects, destructive, idempotent }: AnyTool): ToolAnnotations {
  const openWorldHint = OPEN_WORLD[effects];
  // For a reading tool the other two mean nothing, and each word of the list costs every conversation.
  if (effects === 'read') return { readOnlyHint: true, openWorldHint };
  return {
    readOnlyHint: false,
    // Nobody knows what a command destroys, so it is said that it may.
    destructiveHint: destructive ?? effects === 'exec',
    idempotentHint: idempotent ?? false,
    openWorldHint,
  };
}

/** Writes a tool's definition for MCP. Pure, but it costs some 50 µs: keep what it gives. */
export function toolDefinition(tool: AnyTool): McpToolDefinition {
  const { name, title, description } = tool;
  const inputSchema = { ...slimSchema(z.toJSONSchema(tool.input, { io: 'input' })), type: 'object' as const };
  return { name, title, description, inputSchema, annotations: annotations(tool) };
}
