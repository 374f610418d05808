import { UriTemplate } from '@modelcontextprotocol/server';

/** The content of a resource: text, or bytes in base64. */
export type McpResourceContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** A request to read a resource. */
export interface ResourceRequest {
  readonly uri: string;
  /** Values of the template variables; untrusted. */
  readonly variables: Readonly<Record<string, string>>;
  /** Session of the request, for the records. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** Whether the client may see calls of a tool: all calls, or only those of the tools it is offered. */
  readonly mayHearOf: (tool: string) => boolean;
}

/** A readable resource, at one URI or, as a template, at many. */
export interface McpResource {
  /** A URI, or an RFC 6570 template such as `synapse://spills/{id}`. */
  readonly uri: string;
  /** Identifier. */
  readonly name: string;
  /** Short display name. */
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** Tools whose results it exposes. It is offered only with all of them, so that it does not bypass `--tools`. */
  readonly uses: readonly string[];
  /** Completions per template variable, if there are few and they are not secret; the typed prefix filters them. */
  readonly complete?: Readonly<Record<string, readonly string[]>>;
  /** @throws SynapseError if the resource cannot be read; `not_found` if it does not exist */
  readonly read: (request: ResourceRequest) => Promise<readonly McpResourceContent[]>;
}

/** Whether a resource is a template. */
export function isTemplate({ uri }: Pick<McpResource, 'uri'>): boolean {
  return uri.includes('{');
}

/** Maximum length of a URI in characters. Ours are shorter, and matching a megabyte against every template is wasted work. */
const MAX_URI_CHARACTERS = 1_024;

/** A resource and the values of its template variables. */
interface FoundResource {
  readonly resource: McpResource;
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the resource at a URI; an exact match takes precedence over templates. */
export function findResource(resources: readonly McpResource[], uri: string): FoundResource | undefined {
  if (uri.length > MAX_URI_CHARACTERS) return undefined;
  const exact = resources.find((resource) => resource.uri === uri && !isTemplate(resource));
  if (exact !== undefined) return { resource: exact, variables: {} };
  for (const resource of resources.filter(isTemplate)) {
    const matched = new UriTemplate(resource.uri).match(uri);
    if (matched === null) continue;
    const single = Object.entries(matched).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { resource, variables: Object.fromEntries(single) };
  }
  return undefined;
}
