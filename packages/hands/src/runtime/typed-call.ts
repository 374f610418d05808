import type * as z from 'zod';
import type { CallOptions } from '../call/call.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';

type CanonicalTool = (typeof CANONICAL_TOOLS)[number];

/** Tools of MCP servers, also under the names that models know from other clients. Their types are unknown at compile time. */
type McpName = `mcp:${string}` | `mcp__${string}` | 'mcp_search' | 'mcp_call';

/** The tool of a name; `never` if none matches, or if names are not literal types. */
type ToolNamed<Tool extends AnyTool, Name extends string> = Tool extends { readonly name: infer Own }
  ? string extends Own
    ? never
    : Name extends Own
      ? Tool
      : never
  : never;

/** The tool of a name: a canonical one, else one passed to `createHands`, else `never`. */
type Known<Tool extends AnyTool, Name extends string> = string extends Name
  ? never
  : Name extends CanonicalTool['name']
    ? ToolNamed<CanonicalTool, Name>
    : ToolNamed<Tool, Name>;

/** A known name, the name of an MCP tool, or a dynamic `string`. A misspelled name does not compile. */
export type CallName<Tool extends AnyTool, Name extends string> = string extends Name
  ? Name
  : Name extends CanonicalTool['name'] | Tool['name'] | McpName
    ? Name
    : CanonicalTool['name'] | Tool['name'] | McpName;

type InputArguments<Input, Options> = Record<string, never> extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options];

/** The arguments after the name: the tool's input type if it is known. */
export type CallArguments<Tool extends AnyTool, Name extends string, Options = CallOptions> = [Known<Tool, Name>] extends [never]
  ? [input?: unknown, options?: Options]
  : InputArguments<z.input<Known<Tool, Name>['input']>, Options>;

/** The `data` of a result: the tool's type if it is known. */
export type CallData<Tool extends AnyTool, Name extends string> = [Known<Tool, Name>] extends [never]
  ? unknown
  : z.output<Known<Tool, Name>['output']>;

/** The input of a canonical tool. */
export type ToolInput<Name extends CanonicalTool['name']> = z.input<ToolNamed<CanonicalTool, Name>['input']>;

/** The `data` of a canonical tool's answer. */
export type ToolData<Name extends CanonicalTool['name']> = z.output<ToolNamed<CanonicalTool, Name>['output']>;
