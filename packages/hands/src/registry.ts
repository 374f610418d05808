import { SynapseError, toSynapseError } from '@synapse/protocol';
import { nearest } from './text/nearest.ts';
import { checkTools, type ToolProblem } from './providers/check-tools.ts';
import type { Provider } from './providers/provider-rules.ts';
import { toolCatalogue } from './providers/tool-catalogue.ts';
import { describeTool, type FullToolDescription } from './providers/tool-description.ts';
import type { AnyTool } from './tool.ts';

/** OpenAI and Anthropic accept this much of a function name; anything else is refused by one of them. */
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/u;

/** The tools that hands know, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, AnyTool>();
  #list: readonly AnyTool[] | undefined;
  #descriptions: readonly FullToolDescription[] | undefined;

  constructor(tools: Iterable<AnyTool> = []) {
    for (const tool of tools) this.register(tool);
  }

  /** Adds a tool; a bad or taken name is an error of whoever set the hands up. */
  register(tool: AnyTool): void {
    if (!TOOL_NAME.test(tool.name)) {
      throw new SynapseError('invalid_arguments', `The tool name ${JSON.stringify(tool.name).slice(0, 80)} is not valid.`, {
        hint: 'Use 1 to 64 lower-case letters, digits and underscores, beginning with a letter.',
      });
    }
    if (this.#tools.has(tool.name)) {
      throw new SynapseError('already_exists', `A tool named ${tool.name} is registered already.`, { hint: 'Give it another name.' });
    }
    this.#tools.set(tool.name, tool);
    this.#list = undefined;
    this.#descriptions = undefined;
  }

  /** All tools in the order they were registered; the same list as long as they are the same. */
  list(): readonly AnyTool[] {
    this.#list ??= [...this.#tools.values()];
    return this.#list;
  }

  /** What models are told of the tools; the same list as long as the tools are the same. */
  describe(): readonly FullToolDescription[] {
    this.#descriptions ??= this.list().map(describeTool);
    return this.#descriptions;
  }

  /**
   * What a provider would refuse of the tools as they are written for it; nothing where all is well. A
   * tool that strict rules have no words for is told of too, though it is sent without them. For tools
   * that are not registered here there is `checkTools`.
   */
  validate(provider: Provider): readonly ToolProblem[] {
    const unwritable: ToolProblem[] = [];
    const descriptions = this.list().flatMap((tool) => {
      try {
        return [describeTool(tool)];
      } catch (error) {
        const { message, hint } = toSynapseError(error);
        unwritable.push({ tool: tool.name, field: 'inputSchema', rule: message, fix: hint ?? '' });
        return [];
      }
    });
    const written = toolCatalogue(descriptions).wireTools(provider);
    for (const { name, problem } of written) {
      if (problem !== undefined) unwritable.push({ tool: name, field: 'inputSchema', rule: problem.message, fix: problem.hint ?? '' });
    }
    return [...unwritable, ...checkTools(provider, written)];
  }

  /** The tool of a name; an unknown name is answered with the nearest ones. */
  get(name: string): AnyTool {
    const tool = this.#tools.get(name);
    if (tool !== undefined) return tool;
    const near = nearest(name, this.#tools.keys());
    throw new SynapseError('unknown_tool', `There is no tool named ${JSON.stringify(name.slice(0, 64))}.`, {
      hint: `${near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''}The tools are: ${[...this.#tools.keys()].join(', ')}.`,
      details: { nearest: near },
    });
  }
}
