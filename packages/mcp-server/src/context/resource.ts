/** What a resource holds: text, or bytes in base64. */
export type McpResourceContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** One reading of a resource. */
export interface ResourceRequest {
  readonly uri: string;
  /** What stands in the places of a template. It comes from outside. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whose reading it is, for the records. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** Whether the client may hear of calls of a tool: of all, or of those only that it is offered. */
  readonly mayHearOf: (tool: string) => boolean;
}

/** Something that a client can read, at one address or, as a template, at many. */
export interface McpResource {
  /** A URI, or a template of RFC 6570 such as `synapse://spills/{id}`. */
  readonly uri: string;
  /** As programs call it. */
  readonly name: string;
  /** A few words for a person. */
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** The tools it shows the answers of. It is offered where all of them are: no way around `--tools`. */
  readonly uses: readonly string[];
  /** @throws SynapseError for what cannot be read; `not_found` where nothing is there */
  readonly read: (request: ResourceRequest) => Promise<readonly McpResourceContent[]>;
}

/** Whether a resource is a template. */
export function isTemplate({ uri }: Pick<McpResource, 'uri'>): boolean {
  return uri.includes('{');
}
