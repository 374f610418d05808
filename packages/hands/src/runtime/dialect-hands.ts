import { describeTools } from '../dialects/describe-tools.ts';
import type { Dialect, DialectToolDescription } from '../dialects/dialect.ts';
import { writeTools, type ToolFormat, type ToolFormats, type WriteOptions } from '../providers/tool-formats.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { DialectHands } from './hands.ts';
import type { ToolRegistry } from './registry.ts';

/**
 * Hands under the tool names of a dialect.
 *
 * @param call runs a tool of the dialect
 */
export function dialectHands(dialect: Dialect, registry: ToolRegistry, call: DialectHands['call']): DialectHands {
  let canonical: readonly AnyTool[] | undefined;
  let described: readonly DialectToolDescription[] = [];
  // Returns the same list as long as the tools are the same, because results are cached per list.
  const describe = (): readonly DialectToolDescription[] => {
    if (canonical !== registry.all()) described = describeTools(dialect, (canonical = registry.all()));
    return described;
  };
  function tools(): readonly DialectToolDescription[];
  function tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  function tools(format?: ToolFormat, options: WriteOptions = {}): readonly DialectToolDescription[] | ToolFormats[ToolFormat] {
    return format === undefined ? describe() : writeTools(describe(), hands, format, options);
  }
  const hands: DialectHands = {
    name: dialect.name,
    tools,
    call,
  };
  return hands;
}
