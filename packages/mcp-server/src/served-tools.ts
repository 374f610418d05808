import type { InputRequiredResult, JSONRPCRequest } from '@modelcontextprotocol/server';
import { nameMap, slimSchema, ToolRegistry, type AnyTool, type DialectHands, type DialectToolDescription, type Hands } from '@synapse/hands';
import type { CallApproval } from './approval/call-approval.ts';
import type { CallContext } from './call-context.ts';
import { callDialect } from './call-dialect.ts';
import type { McpCallResult } from './call-result.ts';
import { callTool } from './call-tool.ts';
import { chooseTools, isAskedFor } from './tool-presets.ts';

/** Answers `tools/call`. @param sessionId of the call, for the records */
export type AnswerCall = (
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
) => Promise<McpCallResult | InputRequiredResult>;

/** What a server offers, and how it answers a call of it. */
export interface ServedTools {
  /** The tools as they are now: those of MCP servers come and go. */
  readonly definitions: () => readonly DialectToolDescription[];
  /** Whether a canonical tool is among them. */
  readonly offers: (name: string) => boolean;
  readonly call: AnswerCall;
}

/** What was made of a list, made again once there is another one. The same list is given as long as nothing has changed. */
function following<List, Made>(list: () => List, make: (list: List) => Made): () => Made {
  let of = list();
  let made = make(of);
  return () => {
    const now = list();
    if (now !== of) [of, made] = [now, make(now)];
    return made;
  };
}

/** The tools that were asked for. Those of MCP servers also where they are not listed: who names some wants no search for them. */
function choose(all: ToolRegistry, unlisted: readonly AnyTool[], wanted: readonly string[]): ToolRegistry {
  const foreign = unlisted.filter((tool) => isAskedFor(tool, wanted));
  const isHeld = (tool: AnyTool): boolean => tool.held?.() !== undefined;
  const chosen = new ToolRegistry(chooseTools(all.describe(), wanted).map(({ name }) => all.get(name)));
  chosen.replaceForeign({ listed: foreign.filter((tool) => !isHeld(tool)), unlisted: foreign.filter(isHeld) });
  return chosen;
}

/** The tools of the hands, or those of them that were asked for. Tools of MCP servers have other names on the wire. */
export function canonicalTools(hands: Hands, tools: 'all' | readonly string[], onError: (error: Error) => void): ServedTools {
  const offer = (list: readonly AnyTool[]) => {
    const all = new ToolRegistry(list);
    const listed = new Set(list.map(({ name }) => name));
    const unlisted = hands.mcp.tools().filter(({ name }) => !listed.has(name));
    // A client may still have the name of one that is held back now: its person is asked about the call.
    const names = nameMap([...list, ...unlisted].map(({ name }) => name));
    const offered = tools === 'all' ? undefined : choose(all, unlisted, tools);
    const definitions = (offered ?? all).describe().map((tool) => ({ ...tool, name: names.toWire(tool.name) }));
    return { names, offered, definitions, has: new Set((offered ?? all).list().map(({ name }) => name)) };
  };
  const current = following(() => hands.tools(), offer);
  return {
    definitions: () => current().definitions,
    offers: (name) => current().has.has(name),
    call: (...request) => {
      const { names, offered } = current();
      return callTool({ hands, offered, ownName: (name) => names.fromWire(name), onError }, ...request);
    },
  };
}

/** The tools of a dialect, or those of them that were asked for. */
export function dialectTools(dialect: DialectHands, tools: 'all' | readonly string[], onError: (error: Error) => void): ServedTools {
  const offer = (list: readonly DialectToolDescription[]) => {
    const offered = chooseTools(list, tools, ` in ${dialect.name}`);
    const definitions = offered.map((tool) => {
      const { native: _, inputSchema, ...rest } = tool;
      return { ...rest, inputSchema: { ...slimSchema(inputSchema), type: 'object' as const } };
    });
    return { definitions, withheld: new Set(list.map(({ name }) => name)).difference(new Set(offered.map(({ name }) => name))) };
  };
  const current = following(() => dialect.tools(), offer);
  return {
    definitions: () => current().definitions,
    // The canonical tools have other names here: where some of the dialect's are withheld, none of them counts as offered.
    offers: () => current().withheld.size === 0,
    call: (...request) => callDialect({ dialect, withheld: current().withheld, onError }, ...request),
  };
}
