import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { fingerprint } from '../../call/copy-input.ts';
import { nearest } from '../../text/nearest.ts';
import { isSecretName, secretValues } from '../../audit/redact.ts';
import { expandVariables, type Variables } from './expand-variables.ts';
import type { Launch, ServerConfig } from './server-config.ts';

/** Transport types as clients write them. */
const KINDS: Readonly<Record<string, Launch['kind']>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
};

/** Maximum time-out in milliseconds: a day. A larger value is a wrong unit. */
const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const texts = z.record(z.string(), value);

/** One server, as written in `.mcp.json` and similar files. */
const WRITTEN = z.looseObject({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(value).optional(),
  env: texts.optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: texts.optional(),
  oauth: z
    .strictObject({
      clientId: z.string().min(1).optional(),
      clientSecret: z.string().min(1).optional(),
      scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/u)).optional(),
      callbackPort: z.int().min(1).max(65_535).optional(),
    })
    .optional(),
  timeout: z.int().min(1).max(MAX_TIMEOUT_MS).optional(),
  disabled: z.boolean().optional(),
  enabled: z.boolean().optional(),
});
type Written = z.output<typeof WRITTEN>;

/** Why a server cannot be used, and which of its keys is the cause. */
export class ServerProblem extends Error {
  readonly key: readonly (string | number)[];

  constructor(key: readonly (string | number)[], message: string) {
    super(message);
    this.key = key;
  }
}

/** The context for reading a server: variables and source. */
export interface ServerContext extends Pick<ServerConfig, 'layer' | 'origin'> {
  readonly variables: Variables;
}

/** A server and notices about its unknown keys. */
export interface ReadServer {
  readonly config: ServerConfig;
  readonly notices: readonly ServerProblem[];
}

/** The system ends strings here: the part after it would be shown but not used. */
const NUL = '\0';
/** Valid variable names; `A=B` would set A. */
const VARIABLE_NAME = /^[^=\0]+$/u;
/** Characters allowed in a header (RFC 9110); errors never show the value. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/u;
/** Headers whose values are no secrets. */
const PLAIN_HEADER = /^(?:accept|accept-language|content-type|user-agent|origin|referer)$/iu;
/** Minimum length of a secret in characters; shorter values are common words. */
const MIN_SECRET = 8;

function kindOf({ type, command, url }: Written, unknown: readonly ServerProblem[]): Launch['kind'] {
  if (type !== undefined) {
    const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
    if (kind === undefined)
      throw new ServerProblem(['type'], `there is no transport ${JSON.stringify(type.slice(0, 40))}; known are stdio, http and sse`);
    const needed = kind === 'stdio' ? 'command' : 'url';
    if ((kind === 'stdio' ? command : url) === undefined) throw new ServerProblem(['type'], `a server of type ${type} needs "${needed}"`);
    return kind;
  }
  if (command !== undefined && url !== undefined) throw new ServerProblem(['url'], 'a server has "command" or "url"; say which by "type"');
  // The likeliest cause is a mistyped key, which is also the better place to report.
  if (command === undefined && url === undefined) throw unknown[0] ?? new ServerProblem([], 'a server needs "command" (stdio) or "url" (http)');
  return command === undefined ? 'http' : 'stdio';
}

function assertAddress(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) throw new ServerProblem(['url'], 'this is no http or https address');
  // URLs are shown and logged, and with them a password.
  if (parsed.username !== '' || parsed.password !== '') throw new ServerProblem(['url'], 'an address may hold no password: put it into "headers"');
}

function assertHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw new ServerProblem(['headers', name], 'this is no name of a header');
    if (!HEADER_VALUE.test(content)) throw new ServerProblem(['headers', name], 'its value holds characters that no header may');
  }
}

/** Returns each header value whole and in parts: `Bearer abc` may be quoted either way. */
function headerSecrets(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => !PLAIN_HEADER.test(name))
    .flatMap(([, content]) => [content, ...content.split(/\s+/u)])
    .filter((part) => part.length >= MIN_SECRET);
}

/** Returns the query values of a URL, which are often keys. */
function addressSecrets(url: string): string[] {
  return [...new URL(url).searchParams.values()].filter((part) => part.length >= MIN_SECRET);
}

/** @throws ServerProblem for the first key of a wrong type */
function parseWritten(given: object): Written {
  const parsed = WRITTEN.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = issue?.path.filter((step) => typeof step !== 'symbol') ?? [];
  throw new ServerProblem(key, (issue?.message ?? 'this is wrong').replace(/^Invalid input: /u, ''));
}

function unknownKeys(written: Written): ServerProblem[] {
  const known = Object.keys(WRITTEN.shape);
  return Object.keys(written)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = nearest(key, known);
      return new ServerProblem([key], `this is not known here and is ignored${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`);
    });
}

/** Puts variables in, and notes which. */
class Expansion {
  readonly used: string[] = [];
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  text(text: string, ...key: (string | number)[]): string {
    const expanded = expandVariables(text, this.#variables);
    if ('problem' in expanded) throw new ServerProblem(key, expanded.problem);
    if (expanded.text.includes(NUL)) throw new ServerProblem(key, 'a NUL character can be no part of it');
    this.used.push(...expanded.used);
    return expanded.text;
  }

  optional(text: string | undefined, ...key: string[]): string | undefined {
    return text === undefined ? undefined : this.text(text, ...key);
  }

  all(record: Readonly<Record<string, string>> = {}, key: string): Record<string, string> {
    return Object.fromEntries(Object.entries(record).map(([field, text]) => [field, this.text(text, key, field)]));
  }

  /** The values of secrets among the variables. */
  get secrets(): string[] {
    return this.used
      .filter((variable) => isSecretName(variable))
      .map((variable) => this.#variables.environment[variable] ?? '')
      .filter((content) => content.length >= MIN_SECRET);
  }
}

interface ReadLaunch {
  readonly launch: Launch;
  readonly secrets: readonly string[];
}

function readProgram({ env, command = '', args = [], cwd }: Written, expand: Expansion): ReadLaunch {
  const environment = expand.all(env, 'env');
  const wrong = Object.keys(environment).find((variable) => !VARIABLE_NAME.test(variable));
  if (wrong !== undefined) throw new ServerProblem(['env', wrong], 'this is no name of a variable');
  const launch: Launch = {
    kind: 'stdio',
    command: expand.text(command, 'command'),
    arguments: args.map((text, index) => expand.text(text, 'args', index)),
    environment,
    cwd: expand.optional(cwd, 'cwd'),
  };
  return { launch, secrets: secretValues(environment) };
}

function readAddress(kind: 'http' | 'sse', written: Written, expand: Expansion): ReadLaunch {
  const url = expand.text(written.url ?? '', 'url');
  assertAddress(url);
  const headers = expand.all(written.headers, 'headers');
  assertHeaders(headers);
  return { launch: { kind, url, headers }, secrets: [...headerSecrets(headers), ...addressSecrets(url)] };
}

/**
 * Reads one server.
 *
 * @throws ServerProblem naming the key that makes it unusable
 */
export function readServer(name: string, given: unknown, { variables, layer, origin }: ServerContext): ReadServer {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new ServerProblem([], 'a server is an object');
  const written = parseWritten(given);
  if ('envFile' in written) throw new ServerProblem(['envFile'], 'files of variables are not supported: name the variables in "env"');
  const unknown = unknownKeys(written);
  const expand = new Expansion(variables);
  const kind = kindOf(written, unknown);
  const { launch, secrets } = kind === 'stdio' ? readProgram(written, expand) : readAddress(kind, written, expand);
  const { oauth } = written;
  const clientId = expand.optional(oauth?.clientId, 'oauth', 'clientId');
  const clientSecret = expand.optional(oauth?.clientSecret, 'oauth', 'clientSecret');
  const hidden = [...secrets, ...(clientSecret === undefined ? [] : [clientSecret]), ...expand.secrets];
  return {
    config: {
      name,
      launch,
      oauth: { clientId, clientSecret, scopes: oauth?.scopes, callbackPort: oauth?.callbackPort },
      timeoutMs: written.timeout,
      disabled: written.disabled === true || written.enabled === false,
      layer,
      origin,
      fingerprint: fingerprint(name, { ...given }),
      variables: [...new Set(expand.used)],
      // Longest first: one secret may begin with another.
      secrets: [...new Set(hidden)].toSorted((a, b) => b.length - a.length),
    },
    notices: unknown,
  };
}

/** Reads the servers passed in code, by the same rules. */
export function readGivenServers(servers: Readonly<Record<string, unknown>>, variables: Variables): ServerConfig[] {
  return Object.entries(servers).map(([name, given]) => {
    try {
      return readServer(name, given, { variables, layer: 'flags', origin: 'createHands' }).config;
    } catch (error) {
      if (!(error instanceof ServerProblem)) throw error;
      throw new SynapseError('invalid_arguments', `mcp.servers.${[name, ...error.key].join('.').slice(0, 200)}: ${error.message}.`);
    }
  });
}
