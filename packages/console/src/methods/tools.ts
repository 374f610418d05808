import type { CallOptions } from '@synapse/hands';
import { errorText, SynapseError, type CallResult } from '@synapse/protocol';
import type { ConsoleToolResult } from '@synapse/protocol/console';
import type { Handlers, MethodContext } from './method.ts';

/** Session id of all calls that the user makes in the console. */
export const CONSOLE_SESSION = 'console';

async function changesOf(result: CallResult, { project }: MethodContext) {
  if (!result.ok || result.meta.dryRun !== undefined) return [];
  try {
    return await project.hands.changes({ call: result.meta.callId });
  } catch {
    // The call has no recorded changes.
    return [];
  }
}

/** Makes a call for the user. */
export async function callTool(tool: string, input: unknown, dryRun: boolean, context: MethodContext): Promise<ConsoleToolResult> {
  const options: CallOptions = { signal: context.signal, sessionId: CONSOLE_SESSION, ...(dryRun ? { dryRun } : {}) };
  const result: CallResult = await context.project.hands.call(tool, input, options);
  const { meta } = result;
  return {
    ok: result.ok,
    callId: meta.callId,
    summary: meta.summary,
    ms: meta.durationMs,
    output: result.ok ? result.output : errorText(result.error),
    images: result.ok ? result.content.filter(({ type }) => type === 'image').length : 0,
    ...(result.ok ? {} : { code: result.error.code }),
    ...(meta.sandbox === undefined ? {} : { sandbox: meta.sandbox }),
    ...(meta.dryRun === undefined ? {} : { dryRun: meta.dryRun }),
    changes: await changesOf(result, context),
  };
}

export const tools: Handlers<'tools'> & Handlers<'files'> = {
  'tools.list': (_, { project }) => {
    const effects = new Map(project.hands.tools().map((tool) => [tool.name, tool.effects]));
    return project.hands
      .tools('json-schema')
      .map(({ name, title = name, description, inputSchema }) => ({ name, title, description, inputSchema, effects: effects.get(name) ?? 'read' }));
  },
  'tools.call': ({ tool, input, dryRun }, context) => callTool(tool, input, dryRun, context),
  'files.read': async ({ path }, { project, signal }) => {
    const result: CallResult = await project.hands.call('read_file', { path }, { signal, sessionId: CONSOLE_SESSION });
    if (!result.ok) throw new SynapseError(result.error.code, result.error.message);
    return { path, text: result.output };
  },
};
