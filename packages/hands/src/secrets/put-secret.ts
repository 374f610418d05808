import type { SecretPlace } from './secret.ts';

/** The parts of a request that may carry a secret. Names of headers are in lower case. */
export interface RequestHead {
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** A secret of one command: the value, and what stands for it in the command. */
export interface UsedSecret {
  readonly value: string;
  readonly placeholder: string;
}

/** Headers that servers write to logs and show to others. */
const SHOWN = new Set(
  [
    'user-agent referer origin from host via forwarded x-forwarded-for x-real-ip cf-connecting-ip slug link',
    'x-request-id x-correlation-id x-amzn-trace-id traceparent tracestate baggage',
  ]
    .join(' ')
    .split(' '),
);
/** Headers that servers keep with what a request stores: everybody sees the type of a file in a release of GitHub. */
const STORED = /^(?:content-|cache-control$|expires$|x-(?:amz|goog|ms|oss|cos|object)-meta-|x-ms-(?:blob-|tags$)|x-amz-(?:tagging|website-))/u;
const BASIC = /^Basic +(?<encoded>[A-Za-z\d+/]+=*)$/iu;

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** The text of a header that shows a secret, and its name. */
function ownHeader({ as }: SecretPlace, { value }: UsedSecret): readonly [name: string, text: string] | undefined {
  switch (as.kind) {
    case 'bearer':
      return ['authorization', `Bearer ${value}`];
    case 'basic':
      return ['authorization', `Basic ${base64(as.user === undefined ? value : `${as.user}:${value}`)}`];
    case 'header':
      return [as.name, value];
    case 'query':
    case 'aws':
    case 'env':
      return undefined;
    default:
      return as satisfies never;
  }
}

/** Puts the value where a header has the placeholder, also inside the base64 of Basic. */
function inHeader(name: string, text: string, { value, placeholder }: UsedSecret): string {
  if (SHOWN.has(name) || STORED.test(name)) return text;
  if (text.includes(placeholder)) return text.replaceAll(placeholder, () => value);
  const encoded = name === 'authorization' ? BASIC.exec(text)?.groups?.['encoded'] : undefined;
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  return decoded.includes(placeholder) ? `Basic ${base64(decoded.replaceAll(placeholder, () => value))}` : text;
}

/** Whether a parameter is what an answer had in place of the value, in whichever notation. */
const isMaskOf = (value: string, given: string): boolean => given.length >= value.length && /^\*+$/u.test(given);

function withParameter(path: string, name: string, { value, placeholder }: UsedSecret): string {
  const at = path.indexOf('?');
  const pairs = (at === -1 ? '' : path.slice(at + 1)).split('&').filter((pair) => pair !== '');
  const isOwn = (pair: string): boolean => pair === name || pair.startsWith(`${name}=`);
  const mine = pairs.find(isOwn);
  const given = mine?.slice(name.length + 1) ?? placeholder;
  // A value of the command's own stays. A mask is none: servers send a program on to addresses with what they got.
  if (given !== placeholder && !isMaskOf(value, given)) return path;
  const rest = mine === undefined ? pairs : pairs.filter((pair) => !isOwn(pair));
  return `${at === -1 ? path : path.slice(0, at)}?${[...rest, `${name}=${encodeURIComponent(value)}`].join('&')}`;
}

/**
 * Puts a secret into a request to its server. The placeholder is replaced in headers; the header or parameter of the place is added where
 * the request has none of its own. Never in a path or a body, which servers keep and show to others. A key of AWS signs requests, and is in none.
 */
export function putSecret(head: RequestHead, place: SecretPlace, secret: UsedSecret): RequestHead & { readonly isPut: boolean } {
  if (place.as.kind === 'aws') return { ...head, isPut: false };
  const headers: Record<string, string | readonly string[]> = {};
  let isPut = false;
  for (const [name, given] of Object.entries(head.headers)) {
    const texts = (typeof given === 'string' ? [given] : given).map((text) => inHeader(name, text, secret));
    isPut ||= texts.some((text, index) => text !== (typeof given === 'string' ? given : given[index]));
    headers[name] = typeof given === 'string' ? (texts[0] ?? '') : texts;
  }
  const own = ownHeader(place, secret);
  if (own !== undefined && headers[own[0]] === undefined) {
    headers[own[0]] = own[1];
    isPut = true;
  }
  const path = place.as.kind === 'query' ? withParameter(head.path, place.as.name, secret) : head.path;
  return { path, headers, isPut: isPut || path !== head.path };
}
