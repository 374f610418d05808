/**
 * Names of OpenTelemetry's conventions for generative AI (execute-tool span), which are still in development and
 * change: here and nowhere else. `synapse.*` are our own.
 */
export const ATTRIBUTE = {
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  type: 'gen_ai.tool.type',
  callId: 'gen_ai.tool.call.id',
  session: 'gen_ai.conversation.id',
  /** Only when asked for. */
  arguments: 'gen_ai.tool.call.arguments',
  /** Only when asked for. */
  result: 'gen_ai.tool.call.result',
  error: 'error.type',
  completion: 'synapse.completion',
  sandbox: 'synapse.sandbox',
} as const;

/** The value of {@link ATTRIBUTE.operation}, and the beginning of a span's name. */
export const OPERATION = 'execute_tool';
