import {
  ResourceNotFoundError,
  type GetPromptResult,
  type InputRequiredResult,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { nearest, readResourceAddress } from '@synapse/hands/internal';
import { ERROR_CODES, toSynapseError } from '@synapse/protocol';
import { callApproval, type ClientQuestions } from '../approval/client-approvals.ts';
import { clientOf, sdkContext } from '../call-context.ts';
import { RpcError } from '../rpc-error.ts';
import type { McpPrompt } from './prompt.ts';
import { findResource, isTemplate, type McpResource, type ResourceRequest } from './resource.ts';
import type { UpstreamContext } from './upstream-context.ts';

/** What a server offers besides tools. Lists are built on the first request: most clients never ask. */
export interface OfferedContext {
  readonly prompts: (() => Promise<readonly McpPrompt[]>) | undefined;
  readonly resources: readonly McpResource[];
  /** Prompts and resources of upstream servers; undefined if there can be none. */
  readonly upstream: UpstreamContext | undefined;
}

/** Returns the capabilities of the server. Our lists are fixed while it runs; those of upstream servers change. */
export function contextCapabilities({ prompts, resources, upstream }: OfferedContext): {
  prompts?: { listChanged?: boolean };
  resources?: { listChanged?: boolean; subscribe?: boolean };
  completions?: Record<string, never>;
} {
  if (upstream !== undefined) return { prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true }, completions: {} };
  return {
    ...(prompts === undefined ? {} : { prompts: {} }),
    ...(resources.length === 0 ? {} : { resources: {} }),
    ...(resources.some(isTemplate) ? { completions: {} } : {}),
  };
}

/** Completes template variables. Handles of stored outputs are not completed: only clients that received one may read it. */
function offerCompletions(server: Server, { resources, upstream }: OfferedContext, { sessionId, inFolder }: Serving): void {
  server.setRequestHandler('completion/complete', async ({ params }, context) => {
    const { ref, argument } = params;
    const theirs = await inFolder(
      async () => await upstream?.complete(params, { context: sdkContext(context, clientOf(context, server)), sessionId }),
    );
    if (theirs !== undefined) return { completion: { values: theirs.values, hasMore: theirs.hasMore } };
    const template = ref.type === 'ref/resource' ? resources.find((one) => isTemplate(one) && one.uri === ref.uri) : undefined;
    if (ref.type === 'ref/resource' && template === undefined) {
      throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, `Resource template not found: ${ref.uri.slice(0, 200)}`);
    }
    const complete = template?.complete ?? {};
    const known = Object.hasOwn(complete, argument.name) ? (complete[argument.name] ?? []) : [];
    const values = known.filter((value) => value.startsWith(argument.value));
    return { completion: { values: [...values], total: values.length, hasMore: false } };
  });
}

/** Maximum number of prompt names in an error. */
const MAX_TOLD = 50;

/** Whether a URI belongs to an upstream server. */
const isUpstreamAddress = (uri: string): boolean => readResourceAddress(uri) !== undefined;

/** Converts an error with the code from the error table; the SDK would report every error as an internal one. */
function refusal(thrown: unknown, uri: string): Error {
  const { code, message, hint } = toSynapseError(thrown);
  const words = hint === undefined ? message : `${message} ${hint}`;
  if (code === 'not_found') return new ResourceNotFoundError(uri, words);
  return new RpcError(ERROR_CODES[code].jsonRpcCode, words, { code });
}

interface ShownPrompt extends Omit<McpPrompt, 'get'> {}

const shownPrompt = ({
  name,
  title,
  description,
  arguments: fields,
}: ShownPrompt): Omit<ShownPrompt, 'arguments'> & { arguments: McpPrompt['arguments'][number][] } => ({
  name,
  title,
  description,
  arguments: [...fields],
});

function checkArguments({ name, arguments: fields }: ShownPrompt, values: Readonly<Record<string, string>>): void {
  const missing = fields.find((field) => field.required && values[field.name] === undefined);
  if (missing !== undefined) throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, `The prompt ${name} needs ${missing.name}.`);
}

function offerPrompts(server: Server, { prompts: load = async () => [], upstream }: OfferedContext, serving: Serving): void {
  const { sessionId, inFolder, ending, prompted } = serving;
  server.setRequestHandler('prompts/list', async () => {
    const theirs = await inFolder(async () => (await upstream?.prompts()) ?? []);
    return { prompts: [...(await load()), ...theirs].map(shownPrompt) };
  });
  server.setRequestHandler(
    'prompts/get',
    async ({ params: { name, arguments: values = {} } }, given): Promise<GetPromptResult | InputRequiredResult> => {
      const prompts = await load();
      const prompt = prompts.find((one) => one.name === name);
      if (prompt !== undefined) {
        checkArguments(prompt, values);
        return { description: prompt.description, messages: prompt.get(values).map((message) => ({ ...message })) };
      }
      const theirs = await inFolder(async () => (await upstream?.prompts()) ?? []);
      const found = theirs.find((one) => one.name === name);
      if (found !== undefined && upstream !== undefined) {
        checkArguments(found, values);
        return await inFolder(() =>
          prompted.answer(server, ending(given), (context, approval) => upstream.getPrompt(found, values, { context, approval, sessionId })),
        );
      }
      const names = [...prompts, ...theirs].map((one) => one.name);
      const [near] = nearest(name, names);
      const hint = near === undefined ? `The prompts are: ${names.slice(0, MAX_TOLD).join(', ')}.` : `Did you mean ${near}?`;
      throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, `Unknown prompt: ${JSON.stringify(name.slice(0, 64))}. ${hint}`);
    },
  );
}

/** Returns the listed fields of a resource, without missing ones. */
function shownResource({
  name,
  title,
  description,
  mimeType,
}: Pick<McpResource, 'name' | 'title' | 'description'> & { readonly mimeType: string | undefined }) {
  return { name, title, description, ...(mimeType === undefined ? {} : { mimeType }) };
}

function offerResources(server: Server, { resources, upstream }: OfferedContext, serving: Serving): void {
  const { sessionId, inFolder, ending, mayHearOf, readings } = serving;
  server.setRequestHandler('resources/list', async () => {
    const theirs = await inFolder(async () => (await upstream?.resources()) ?? []);
    const own = resources.filter((one) => !isTemplate(one));
    return { resources: [...own, ...theirs].map((one) => ({ uri: one.uri, ...shownResource(one) })) };
  });
  server.setRequestHandler('resources/templates/list', async () => {
    const theirs = await inFolder(async () => (await upstream?.templates()) ?? []);
    return { resourceTemplates: [...resources.filter(isTemplate), ...theirs].map((one) => ({ uriTemplate: one.uri, ...shownResource(one) })) };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, given): Promise<ReadResourceResult | InputRequiredResult> => {
    const context = ending(given);
    if (upstream !== undefined && isUpstreamAddress(uri)) {
      return await inFolder(() =>
        readings.answer(server, context, async (call, approval) => {
          const read = await upstream.read(uri, { context: call, approval, sessionId });
          if (read === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
          return read;
        }),
      );
    }
    const { signal } = context.mcpReq;
    const found = findResource(resources, uri);
    if (found === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
    try {
      const contents = await inFolder(() => found.resource.read({ uri, variables: found.variables, sessionId, signal, mayHearOf }));
      return { contents: contents.map((content) => ({ ...content })) };
    } catch (error) {
      throw refusal(error, uri);
    }
  });
}

/** Handles subscriptions of a client to resources of upstream servers. */
function offerWatching(server: Server, upstream: UpstreamContext, { sessionId, inFolder, ending, watched }: Serving): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, given) => {
    const context = ending(given);
    if (watched.has(uri)) return {};
    const approval = callApproval(server, context.mcpReq.id);
    await inFolder(() => upstream.watch(uri, { context: sdkContext(context, clientOf(context, server)), approval, sessionId }));
    watched.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    if (watched.delete(uri)) await upstream.unwatch(uri);
    return {};
  });
}

interface Serving {
  readonly sessionId: string;
  readonly mayHearOf: ResourceRequest['mayHearOf'];
  /** Adds the end of the server to the signal of a request. */
  readonly ending: (context: ServerContext) => ServerContext;
  readonly prompted: ClientQuestions<GetPromptResult>;
  readonly readings: ClientQuestions<ReadResourceResult>;
  /** URIs this client is subscribed to. */
  readonly watched: Set<string>;
  /** Runs work once the folder is known, and keeps the server from ending before it is done. */
  readonly inFolder: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Handles requests for prompts and resources. */
export function offerContext(server: Server, offered: OfferedContext, serving: Serving): void {
  const { prompts, resources, upstream } = offered;
  if (prompts !== undefined || upstream !== undefined) offerPrompts(server, offered, serving);
  if (resources.length > 0 || upstream !== undefined) offerResources(server, offered, serving);
  if (resources.some(isTemplate) || upstream !== undefined) offerCompletions(server, offered, serving);
  if (upstream !== undefined) offerWatching(server, upstream, serving);
}
