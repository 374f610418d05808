import { inputSchemaOf } from '../providers/input-schema.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { Dialect, DialectTool, DialectToolDescription } from './dialect.ts';

type Canonical = ReadonlyMap<string, AnyTool>;

const MCP_TOOLS = 'mcp:*';
/** Schemas are cached: they never change, and creating one takes time. */
const schemas = new WeakMap<DialectTool, DialectToolDescription['inputSchema']>();

function inputSchema(tool: DialectTool): DialectToolDescription['inputSchema'] {
  let schema = schemas.get(tool);
  if (schema === undefined) {
    schema = inputSchemaOf(tool.input);
    schemas.set(tool, schema);
  }
  return schema;
}

/** Effects in order of strength. */
const STRENGTH: readonly AnyTool['effects'][] = ['read', 'write', 'net', 'mcp', 'exec'];

/** Returns the strongest effect that a tool of a dialect can have. */
export function effectsOf(tool: DialectTool, canonical: Canonical): AnyTool['effects'] {
  const effects = new Set(tool.uses.map((name) => canonical.get(name)?.effects ?? (name === MCP_TOOLS ? 'mcp' : 'net')));
  return STRENGTH.findLast((effect) => effects.has(effect)) ?? 'read';
}

function annotations(tool: DialectTool, canonical: Canonical): NonNullable<DialectToolDescription['annotations']> {
  const effects = effectsOf(tool, canonical);
  const openWorldHint = effects === 'exec' || effects === 'net' || effects === 'mcp';
  if (effects === 'read') return { readOnlyHint: true, openWorldHint };
  const used = tool.uses.map((name) => canonical.get(name));
  return {
    readOnlyHint: false,
    destructiveHint: used.some((one) => one?.effects !== 'read' && (one?.destructive ?? true)),
    idempotentHint: used.every((one) => one?.idempotent ?? false),
    openWorldHint,
  };
}

/** Whether hands with these tools can run a tool of a dialect. */
function canRun(tool: DialectTool, canonical: Canonical): boolean {
  const names = [...canonical.keys()];
  return tool.uses.every((name) => canonical.has(name) || (name === MCP_TOOLS && names.some((one) => one.startsWith('mcp:'))));
}

/** Describes the tools of a dialect that the given canonical tools can run. */
export function describeTools(dialect: Dialect, tools: readonly AnyTool[]): DialectToolDescription[] {
  const canonical = new Map(tools.map((tool) => [tool.name, tool]));
  return dialect.tools
    .filter((tool) => canRun(tool, canonical))
    .map((tool) => ({
      name: tool.name,
      ...(tool.title === undefined ? {} : { title: tool.title }),
      description: tool.description,
      inputSchema: inputSchema(tool),
      annotations: annotations(tool, canonical),
      ...(tool.native === undefined ? {} : { native: tool.native }),
    }));
}
