import type { InputRequiredResult, JSONRPCRequest } from '@modelcontextprotocol/server';
import { type AnyTool, type DialectHands } from '@synapse/hands';
import { type DialectToolDescription } from '@synapse/hands/dialects';
import type { ServedHands } from '@synapse/hands/internal';
import { nameMap } from '@synapse/hands/providers';
import { slimSchema, ToolRegistry } from '@synapse/hands/tools';
import type { CallApproval } from './approval/ask-by-retry.ts';
import type { CallContext, ClientTraits } from './call-context.ts';
import type { McpCallResult } from './call-tool.ts';
import { callOther, callTool } from './call-tool.ts';
import type { HandsElsewhere } from './mcp-offer.ts';
import { type OutputSchema, outputSchemaOf } from './output-schema.ts';
import { chooseTools, isAskedFor } from './tool-presets.ts';

/** Answers `tools/call`. @param sessionId of the call, for the records */
export type AnswerCall = (
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
) => Promise<McpCallResult | InputRequiredResult>;

/** The tools a server offers, and how it answers their calls. */
export interface ServedTools {
  /** The current tools, for a client; those of MCP servers change. */
  readonly definitions: (client: ClientTraits) => readonly DialectToolDescription[];
  /** Whether a canonical tool is offered. */
  readonly offers: (name: string) => boolean;
  readonly call: AnswerCall;
}

/** Derives a value from a list, and derives it again only when `list` returns another array. */
function following<List, Made>(list: () => List, make: (list: List) => Made): () => Made {
  let of = list();
  let made = make(of);
  return () => {
    const now = list();
    if (now !== of) [of, made] = [now, make(now)];
    return made;
  };
}

/** Makes a value when it is first needed. */
function onceMade<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The output schema of a tool. Tools of MCP servers list their own. */
function ownSchema(tool: AnyTool): Array<readonly [name: string, schema: OutputSchema]> {
  const schema = tool.effects === 'mcp' ? undefined : outputSchemaOf(tool);
  return schema === undefined ? [] : [[tool.name, schema]];
}

/** The preset of tools that call the others. */
const PROGRAMS = 'program';

/** Whether a session is likely to run programs, as it requests them by name. Among all tools they are one of many. */
export function asksForPrograms(hands: ServedHands, tools: 'all' | readonly string[]): boolean {
  return tools !== 'all' && (tools.includes(PROGRAMS) || hands.tools().some(({ name, nests }) => nests === true && tools.includes(name)));
}

/** Returns the requested tools. Tools of MCP servers requested by name are included even if unlisted: they need no search. */
function choose(all: ToolRegistry, unlisted: readonly AnyTool[], wanted: readonly string[]): ToolRegistry {
  const foreign = unlisted.filter((tool) => isAskedFor(tool, wanted));
  const isHeld = (tool: AnyTool): boolean => tool.held?.() !== undefined;
  const nesting = all.list().flatMap(({ name, nests }) => (nests === true ? [name] : []));
  const words = wanted.flatMap((word) => (word === PROGRAMS ? nesting : [word]));
  const chosen = new ToolRegistry(chooseTools(all.describe(), words).map(({ name }) => all.get(name)));
  chosen.replaceForeign({ listed: foreign.filter((tool) => !isHeld(tool)), unlisted: foreign.filter(isHeld) });
  return chosen;
}

/** Serves the tools of the hands, or the requested ones. Tools of MCP servers have other names on the wire. */
export function canonicalTools(hands: ServedHands, tools: 'all' | readonly string[], onError: (error: Error) => void): ServedTools {
  const offer = (list: readonly AnyTool[]) => {
    const all = new ToolRegistry(list);
    const listed = new Set(list.map(({ name }) => name));
    const unlisted = hands.mcp.tools().filter(({ name }) => !listed.has(name));
    // A client may still know the name of a tool that is pending review: its user is asked about the call.
    const names = nameMap([...list, ...unlisted].map(({ name }) => name));
    const offered = tools === 'all' ? undefined : choose(all, unlisted, tools);
    // Who offers programs alone offers all tools, by them.
    const mayCall = offered === undefined || tools.includes(PROGRAMS) ? undefined : offered.list().map(({ name }) => name);
    const definitions = (offered ?? all).describe().map((tool) => ({ ...tool, name: names.toWire(tool.name) }));
    const schemas = onceMade(() => new Map((offered ?? all).list().flatMap((tool) => ownSchema(tool))));
    const typed = onceMade(() =>
      definitions.map((tool) => {
        const outputSchema = schemas().get(ownNames.get(tool.name) ?? tool.name);
        return outputSchema === undefined ? tool : { ...tool, outputSchema };
      }),
    );
    const upstream = new Map(hands.mcp.tools().map(({ name }) => [name, name.split(':')[1] ?? '']));
    const ownNames = new Map([...list, ...unlisted].map(({ name }) => [names.toWire(name), name]));
    return { ownNames, offered, mayCall, definitions, typed, schemas, upstream, has: new Set((offered ?? all).list().map(({ name }) => name)) };
  };
  const current = following(() => hands.tools(), offer);
  return {
    definitions: ({ reads }) => (reads === 'text' ? current().definitions : current().typed()),
    offers: (name) => current().has.has(name),
    call: (...request) => {
      const { ownNames, offered, mayCall } = current();
      const upstreamOf = (name: string): string | undefined => current().upstream.get(name);
      const hasSchema = (name: string): boolean => current().schemas().has(name);
      return callTool({ hands, offered, mayCall, ownName: (name) => ownNames.get(name) ?? name, upstreamOf, hasSchema, onError }, ...request);
    },
  };
}

/** Serves the tools of a dialect, or the requested ones. */
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
    // The canonical tools have other names here: if any tool of the dialect is withheld, none counts as offered.
    offers: () => current().withheld.size === 0,
    call: (...request) => callOther({ hands: dialect, ownName: (name) => (current().withheld.has(name) ? undefined : name), onError }, ...request),
  };
}

/** Serves the tools of another machine, or the requested ones, as they were when it was opened. */
export function elsewhereTools(hands: HandsElsewhere, tools: 'all' | readonly string[], onError: (error: Error) => void): ServedTools {
  const all = hands.tools('json-schema');
  const offered = chooseTools(all, tools, ' on that machine');
  const names = nameMap(offered.map(({ name }) => name));
  const definitions = offered.map((tool) => {
    const { native: _, inputSchema, ...rest } = tool;
    return { ...rest, name: names.toWire(tool.name), inputSchema: { ...slimSchema(inputSchema), type: 'object' as const } };
  });
  const known = new Map(definitions.map(({ name }, index) => [name, offered[index]?.name]));
  return {
    definitions: () => definitions,
    offers: (name) => offered.some((tool) => tool.name === name),
    call: (...request) => callOther({ hands, ownName: (name) => known.get(name), onError }, ...request),
  };
}

/** Limits the text of every result, for any client. */
export function withMaxOutput(served: ServedTools, characters: number | undefined): ServedTools {
  if (characters === undefined) return served;
  const readerLimits = { outputBytes: characters, jsonCharacters: characters };
  return { ...served, call: (params, context, ...rest) => served.call(params, { ...context, client: { ...context.client, readerLimits } }, ...rest) };
}
