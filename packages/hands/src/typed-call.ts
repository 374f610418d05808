import type * as z from 'zod';
import type { CallOptions } from './pipeline/call.ts';
import type { AnyTool } from './tool.ts';
import type { CANONICAL_TOOLS } from './tools/canonical-tools.ts';

type CanonicalTool = (typeof CANONICAL_TOOLS)[number];

/** Tools that come and go with MCP servers, also under the names that models know from elsewhere: their types are not known before. */
type McpName = `mcp:${string}` | `mcp__${string}` | 'mcp_search' | 'mcp_call';

/** The tool of a name among some; `never` where there is none, or where they may have any name. */
type ToolNamed<Tool extends AnyTool, Name extends string> = Tool extends { readonly name: infer Own }
  ? string extends Own
    ? never
    : Name extends Own
      ? Tool
      : never
  : never;

/** What is known of a name: a canonical tool, else one that hands were opened with, else nothing. */
type Known<Tool extends AnyTool, Name extends string> = string extends Name
  ? never
  : Name extends CanonicalTool['name']
    ? ToolNamed<CanonicalTool, Name>
    : ToolNamed<Tool, Name>;

/** A name that is known, of an MCP server, or not known before it runs; a misspelt one does not compile. */
export type CallName<Tool extends AnyTool, Name extends string> = string extends Name
  ? Name
  : Name extends CanonicalTool['name'] | Tool['name'] | McpName
    ? Name
    : CanonicalTool['name'] | Tool['name'] | McpName;

type InputArguments<Input> = Record<string, never> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions];

/** What a call takes behind the name: the tool's own input where it is known. */
export type CallArguments<Tool extends AnyTool, Name extends string> = [Known<Tool, Name>] extends [never]
  ? [input?: unknown, options?: CallOptions]
  : InputArguments<z.input<Known<Tool, Name>['input']>>;

/** The `data` of a result: the tool's own where it is known. */
export type CallData<Tool extends AnyTool, Name extends string> = [Known<Tool, Name>] extends [never]
  ? unknown
  : z.output<Known<Tool, Name>['output']>;

/** The input of a canonical tool. */
export type ToolInput<Name extends CanonicalTool['name']> = z.input<ToolNamed<CanonicalTool, Name>['input']>;

/** The `data` of a canonical tool's answer. */
export type ToolData<Name extends CanonicalTool['name']> = z.output<ToolNamed<CanonicalTool, Name>['output']>;
