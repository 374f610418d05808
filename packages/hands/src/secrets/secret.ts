import * as z from 'zod';

/** How a request shows a secret to its server. */
const way = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('bearer') }),
  /** Without a user, the value is `user:password`. */
  z.strictObject({ kind: z.literal('basic'), user: z.string().optional() }),
  z.strictObject({ kind: z.literal('header'), name: z.string() }),
  z.strictObject({ kind: z.literal('query'), name: z.string() }),
  /** A request that a command signed with the placeholder is signed again. The id of the key is no secret. */
  z.strictObject({ kind: z.literal('aws'), id: z.string() }),
  /** Only where a command itself puts its variable into a header. */
  z.strictObject({ kind: z.literal('env') }),
]);

const place = z.strictObject({
  scheme: z.enum(['https', 'http']),
  /** In lower case, as requests name it. */
  host: z.string(),
  port: z.int().min(1).max(65_535),
  as: way,
});

export const secretSchema = z.strictObject({
  /** The variable in which commands find a placeholder of it. */
  name: z.string(),
  /** Further variables with the same placeholder, and others with a fixed text. */
  also: z.array(z.string()).default([]),
  texts: z.record(z.string(), z.string()).default({}),
  places: z.array(place).min(1),
  value: z.string(),
  /** When it was added, as an ISO date. */
  added: z.string(),
});

/** How a request shows a secret to its server. */
export type SecretWay = z.output<typeof way>;
/** A server that may get a secret, and how. */
export type SecretPlace = z.output<typeof place>;
/** A secret that commands use without seeing it. */
export type Secret = z.output<typeof secretSchema>;

/** The ports that an address leaves out. */
export const USUAL_PORTS = { https: 443, http: 80 } as const satisfies Record<SecretPlace['scheme'], number>;

/** Writes a server as people do: `api.github.com`, `nexus.example.com:8443`, `http://localhost:4873`. */
export function placeText({ scheme, host, port }: Pick<SecretPlace, 'scheme' | 'host' | 'port'>): string {
  return `${scheme === 'http' ? 'http://' : ''}${host}${port === USUAL_PORTS[scheme] ? '' : `:${port}`}`;
}

/** Writes a way as `--as` takes it. */
export function wayText(as: SecretWay): string {
  switch (as.kind) {
    case 'basic':
      return as.user === undefined ? 'basic' : `basic ${as.user}`;
    case 'aws':
      return `aws ${as.id}`;
    case 'header':
    case 'query':
      return `${as.kind} ${as.name}`;
    case 'bearer':
    case 'env':
      return as.kind;
    default:
      return as satisfies never;
  }
}

/** What of a request a way fills if the command does not: a header, or a parameter. Undefined if it fills nothing. */
function filledBy(as: SecretWay): string | undefined {
  switch (as.kind) {
    case 'bearer':
    case 'basic':
      return 'authorization';
    case 'header':
      return as.name;
    case 'query':
      return `?${as.name}`;
    case 'aws':
    case 'env':
      return undefined;
    default:
      return as satisfies never;
  }
}

/** Whether two places fill the same part of requests to the same server: only the first one by name does. */
export function fillsSame(one: SecretPlace, other: SecretPlace): boolean {
  const part = filledBy(one.as);
  return part !== undefined && part === filledBy(other.as) && placeText(one) === placeText(other);
}
