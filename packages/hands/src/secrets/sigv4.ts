import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A key of AWS: its id, which is public, and its secret. */
interface AwsKey {
  readonly id: string;
  readonly secret: string;
}

/** What a signature covers. Names of headers are in lower case. */
export interface SignedRequest {
  readonly method: string;
  /** With its query, as it is sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** The parts of an `Authorization` header with a signature of version 4. */
interface Signature {
  readonly id: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const HEADER =
  /^AWS4-HMAC-SHA256 +Credential=(?<id>[^/\s,]+)\/(?<date>\d{8})\/(?<region>[\w-]+)\/(?<service>[\w.-]+)\/aws4_request, *SignedHeaders=(?<signed>[a-z\d;_.-]+), *Signature=(?<signature>[\da-f]{64})$/u;

/** Parses an `Authorization` header; undefined if it has no signature of version 4. */
export function parseSignature(header: string): Signature | undefined {
  const groups = HEADER.exec(header)?.groups;
  if (groups === undefined) return undefined;
  const { id = '', date = '', region = '', service = '', signed = '', signature = '' } = groups;
  return { id, date, region, service, signedHeaders: signed.split(';'), signature };
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac('sha256', key).update(data).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/gu, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** A part of a query, encoded as it is signed. What is no UTF-8, or no encoding, stays what it is. */
function encodedAgain(text: string): string {
  try {
    return encoded(decodeURIComponent(text));
  } catch {
    return text
      .split(/(%[\da-f]{2})/iu)
      .map((piece, index) => (index % 2 === 1 ? piece.toUpperCase() : encoded(piece)))
      .join('');
  }
}

/** The path as it is signed: as it is sent for S3, encoded once more for all others. */
function canonicalPath(path: string, service: string): string {
  const plain = path === '' ? '/' : path;
  return service === 's3' ? plain : plain.split('/').map(encoded).join('/');
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return (
    pairs
      .map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return { name: encodedAgain(name), value: encodedAgain(value.join('=')) };
      })
      // By names first: as whole texts, `a.10=` would come before `a.1=`.
      .toSorted((one, other) => compare(one.name, other.name) || compare(one.value, other.value))
      .map(({ name, value }) => `${name}=${value}`)
      .join('&')
  );
}

/** The hash of the body as the signature covers it; undefined if the body itself has to be read. */
export function namedPayload({ headers }: SignedRequest): string | undefined {
  const named = headers['x-amz-content-sha256'];
  return typeof named === 'string' ? named : undefined;
}

/** @returns the signature of a request, or undefined if what it should cover is missing */
function signatureOf(
  request: SignedRequest,
  { date, region, service, signedHeaders }: Signature,
  secret: string,
  payload: string,
): string | undefined {
  const time = request.headers['x-amz-date'];
  if (typeof time !== 'string' || !time.startsWith(date) || !signedHeaders.includes('host')) return undefined;
  const lines: string[] = [];
  for (const name of signedHeaders) {
    const value = request.headers[name];
    if (value === undefined) return undefined;
    const texts = (typeof value === 'string' ? [value] : value).map((text) => text.trim().replaceAll(/ +/gu, ' '));
    lines.push(`${name}:${texts.join(',')}`);
  }
  const at = request.path.indexOf('?');
  const [path, query] = at === -1 ? [request.path, ''] : [request.path.slice(0, at), request.path.slice(at + 1)];
  const canonical = [request.method, canonicalPath(path, service), canonicalQuery(query), ...lines, '', signedHeaders.join(';'), payload].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const key = [date, region, service, 'aws4_request'].reduce<string | Uint8Array>((last, part) => hmac(last, part), `AWS4${secret}`);
  return hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join('\n')).toString('hex');
}

/** Whether a request has the signature of a key. */
export function isSignedBy(request: SignedRequest, given: Signature, key: AwsKey, payload: string): boolean {
  const expected = given.id === key.id ? signatureOf(request, given, key.secret, payload) : undefined;
  return expected !== undefined && timingSafeEqual(Buffer.from(expected), Buffer.from(given.signature));
}

/** The `Authorization` header of a request for another key; undefined if what it should cover is missing. */
export function signedAgain(request: SignedRequest, given: Signature, { id, secret }: AwsKey, payload: string): string | undefined {
  const signature = signatureOf(request, given, secret, payload);
  if (signature === undefined) return undefined;
  const { date, region, service, signedHeaders } = given;
  return `${ALGORITHM} Credential=${id}/${date}/${region}/${service}/aws4_request, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
}

/** The hash of a whole body. */
export const payloadHash = (body: Uint8Array): string => sha256(body);
