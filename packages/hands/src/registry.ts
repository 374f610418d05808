import { SynapseError } from '@synapse/protocol';
import { nearest } from './text/nearest.ts';
import type { AnyTool } from './tool.ts';

/** OpenAI and Anthropic accept this much of a function name; anything else is refused by one of them. */
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/u;

/** The tools that hands know, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, AnyTool>();

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
  }

  /** All tools in the order they were registered. */
  list(): readonly AnyTool[] {
    return [...this.#tools.values()];
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
