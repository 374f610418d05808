import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { nearest } from '@synapse/hands';
import { ERROR_CODES, toSynapseError } from '@synapse/protocol';
import { RpcError } from '../rpc-error.ts';
import { findResource } from './find-resource.ts';
import type { McpPrompt } from './prompt.ts';
import { isTemplate, type McpResource, type ResourceRequest } from './resource.ts';

/** What a server offers beside tools. Lists are made when they are first asked for: most clients never do. */
export interface OfferedContext {
  readonly prompts: (() => Promise<readonly McpPrompt[]>) | undefined;
  readonly resources: readonly McpResource[];
}

/** What the server says it can do. No `listChanged` and no `subscribe`: both lists are fixed while it runs. */
export function contextCapabilities({ prompts, resources }: OfferedContext): { prompts?: object; resources?: object } {
  return { ...(prompts === undefined ? {} : { prompts: {} }), ...(resources.length === 0 ? {} : { resources: {} }) };
}

/** A refusal in the words of the table of errors; the SDK would send whatever was thrown as an internal error. */
function refusal(thrown: unknown, uri: string): Error {
  const { code, message, hint } = toSynapseError(thrown);
  const words = hint === undefined ? message : `${message} ${hint}`;
  if (code === 'not_found') return new ResourceNotFoundError(uri, words);
  return new RpcError(ERROR_CODES[code].jsonRpcCode, words, { code });
}

function offerPrompts(server: Server, load: () => Promise<readonly McpPrompt[]>): void {
  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await load()).map(({ name, title, description, arguments: fields }) => ({ name, title, description, arguments: [...fields] })),
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: values = {} } }) => {
    const prompts = await load();
    const prompt = prompts.find((one) => one.name === name);
    if (prompt === undefined) {
      const names = prompts.map((one) => one.name);
      const [near] = nearest(name, names);
      const hint = near === undefined ? `The prompts are: ${names.join(', ')}.` : `Did you mean ${near}?`;
      throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, `There is no prompt named ${JSON.stringify(name.slice(0, 64))}. ${hint}`);
    }
    const missing = prompt.arguments.find((field) => field.required && values[field.name] === undefined);
    if (missing !== undefined) throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, `The prompt ${prompt.name} needs ${missing.name}.`);
    return { description: prompt.description, messages: prompt.get(values).map((message) => ({ ...message })) };
  });
}

function offerResources(server: Server, resources: readonly McpResource[], { sessionId, tracked, ending, mayHearOf }: Serving): void {
  const shown = ({ name, title, description, mimeType }: McpResource): Omit<McpResource, 'uri' | 'uses' | 'read'> => ({
    name,
    title,
    description,
    mimeType,
  });
  server.setRequestHandler('resources/list', () => ({
    resources: resources.filter((one) => !isTemplate(one)).map((one) => ({ uri: one.uri, ...shown(one) })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: resources.filter(isTemplate).map((one) => ({ uriTemplate: one.uri, ...shown(one) })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const signal = ending === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, ending]);
    const found = findResource(resources, uri);
    if (found === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
    try {
      const contents = await tracked(found.resource.read({ uri, variables: found.variables, sessionId, signal, mayHearOf }));
      return { contents: contents.map((content) => ({ ...content })) };
    } catch (error) {
      throw refusal(error, uri);
    }
  });
}

interface Serving {
  readonly sessionId: string;
  readonly mayHearOf: ResourceRequest['mayHearOf'];
  /** Aborted when the server ends, where that is not with the connection. */
  readonly ending: AbortSignal | undefined;
  /** Waits for work, and keeps the server from ending before it. */
  readonly tracked: <T>(work: Promise<T>) => Promise<T>;
}

/** Answers what a client asks about prompts and resources. */
export function offerContext(server: Server, { prompts, resources, ...serving }: OfferedContext & Serving): void {
  if (prompts !== undefined) offerPrompts(server, prompts);
  if (resources.length > 0) offerResources(server, resources, serving);
}
