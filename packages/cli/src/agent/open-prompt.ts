import { buildSystemPrompt, findProtocol, toolDescriptions, type ReasoningProtocol, type TodoList } from '@synapse/brain';
import type { ToolCaller } from '@synapse/hands/providers';
import { dialectOf, type AgentPlace, type RunOptions } from './agent-place.ts';

/** What a model works with. */
export interface AgentPrompt {
  readonly protocol: ReasoningProtocol | undefined;
  readonly tools: ToolCaller;
  /** Builds the system prompt for a model. */
  readonly system: (model: string) => Promise<string>;
}

/** Finds the protocol, and adds the todo list: a protocol is a list of steps itself. */
export async function openPrompt(options: RunOptions, place: AgentPlace, tools: ToolCaller, todos: TodoList): Promise<AgentPrompt> {
  const protocol = options.protocol === undefined ? undefined : await findProtocol(place.protocols, options.protocol);
  const offered = protocol === undefined ? todos.among(tools, dialectOf(options)) : tools;
  return {
    protocol,
    tools: offered,
    system: async (model) =>
      await buildSystemPrompt({
        ...place.prompt,
        model,
        toolDescriptions: toolDescriptions(offered),
        operatorPrompt: 'optional',
        ...(protocol === undefined ? {} : { protocol }),
      }),
  };
}
