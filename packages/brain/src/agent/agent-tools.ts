import type { LanguageModelV4FunctionTool, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { type CallOptions } from '@synapse/hands';
import { handleAiSdk, writeTools, type DialectOutput, type ToolCaller } from '@synapse/hands/providers';
import type { CallMeta, CallResult } from '@synapse/protocol';
import type { WantedCall } from './model-turn.ts';

/** The tools for a model, and how they run: those of hands, of a dialect, or of remote hands. */
export interface AgentTools {
  readonly definitions: readonly LanguageModelV4FunctionTool[];
  /** Whether calls of a tool only read, so that they may run in parallel. Takes the name on the wire. */
  reads(name: string): boolean;
  /** Runs a call. Never throws. */
  call(call: WantedCall, options: CallOptions): Promise<AnsweredCall>;
}

/** The outcome of a call. */
export interface AnsweredCall {
  readonly part: LanguageModelV4ToolResultPart;
  readonly ok: boolean;
  /** Undefined if no call was made. */
  readonly meta: CallMeta | undefined;
}

function resultOf(result: CallResult | DialectOutput): CallResult | undefined {
  return 'ok' in result ? result : result.result;
}

/** @param images whether the model takes images in results */
export function agentTools(hands: ToolCaller, { images = true }: { images?: boolean } = {}): AgentTools {
  const described = hands.tools('json-schema');
  const written = writeTools(described, hands, 'ai-sdk', { images });
  const definitions = Object.entries(written).map(([name, { description, inputSchema }]): LanguageModelV4FunctionTool => {
    const schema = inputSchema['~standard'].jsonSchema.input();
    return { type: 'function', name, description, inputSchema: schema };
  });
  const readOnly = new Set(
    Object.keys(written).filter((_, index) => {
      const tool = described[index];
      return tool?.annotations?.readOnlyHint === true;
    }),
  );
  return {
    definitions,
    reads: (name) => readOnly.has(name),
    async call(wanted, options) {
      let answered: CallResult | undefined;
      const caller: ToolCaller = {
        tools: () => described,
        call: async (name, input, given) => {
          const result = await hands.call(name, input, { ...given, ...options });
          answered = resultOf(result);
          return result;
        },
      };
      const step = { toolCalls: [{ toolCallId: wanted.id, toolName: wanted.name, input: wanted.input }] };
      const [message] = await handleAiSdk(caller, step, { images });
      const output = message?.content[0]?.output ?? { type: 'error-text' as const, value: 'Error: The call was not run.' };
      const part: LanguageModelV4ToolResultPart = { type: 'tool-result', toolCallId: wanted.id, toolName: wanted.name, output };
      return { part, ok: output.type !== 'error-text', meta: answered?.meta };
    },
  };
}
