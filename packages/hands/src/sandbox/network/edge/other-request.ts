import type { IncomingMessage } from 'node:http';

/** They let a server take another method, path or host than those that were judged. CGI takes `_` for `-`, and lighttpd for it any mark. */
const OTHER_REQUEST: ReadonlySet<string> = new Set(
  [
    'x-http-method-override x-http-method x-method-override x-original-method x-forwarded-method x-http-verb x-method',
    'x-original-url x-original-uri x-original-path x-rewrite-url x-override-url x-forwarded-uri x-forwarded-url x-forwarded-path x-forwarded-prefix',
    'x-ms-original-url x-envoy-original-path x-request-uri x-real-url x-script-name x-accel-redirect x-sendfile base-url',
    'x-host x-original-host x-forwarded-host x-forwarded-server x-http-host-override forwarded',
  ]
    .join(' ')
    .split(' '),
);
/** They name a second path, to copy from or to. Without them, such a request would do something else. */
const SECOND_PATH: ReadonlySet<string> = new Set(
  'destination x-amz-copy-source x-ms-copy-source x-goog-copy-source x-oss-copy-source x-cos-copy-source'.split(' '),
);
/**
 * Parameters that some servers take for another method. PHP takes `.`, a space and `[` in a name for `_`, and ends it at a zero byte; some split
 * at `;`.
 */
const METHOD_PARAMETER = /[?&;][ +]*(?:[_.[ +](?:http)?method|x-http-method(?:-override)?|x-method-override)(?:[=[]|%00)/iu;
/** Others have such names for anything, but mean a method where the value is one: Facebook, Google and older services. */
const NAMED_METHOD = /[?&;]\$?(?:http[-_.]?)?method(?:[-_.]?override)?=(?<named>delete|get|head|options|patch|post|put)(?=[&;#]|$)/giu;

const plainName = (header: string): string => header.replaceAll(/[^a-z\d]/gu, '-');

/** A path with its parameters as a server reads their names. */
const readableQuery = (path: string): string =>
  path.replaceAll(/%[2-7][\da-f]/giu, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

/** Whether a header is left out where rules tell requests apart. */
export const namesOtherRequest = (header: string): boolean => OTHER_REQUEST.has(plainName(header));

/** What of a request names another method or path than its own; undefined if nothing does. */
export function otherRequestIn({ headers, method, url = '' }: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): string | undefined {
  const query = readableQuery(url);
  const named = Array.from(query.matchAll(NAMED_METHOD), ({ groups }) => groups?.['named']?.toUpperCase());
  if (METHOD_PARAMETER.test(query) || named.some((other) => other !== method)) return 'a parameter that names another method';
  return Object.keys(headers).some((name) => SECOND_PATH.has(plainName(name))) ? 'a header that names a second path' : undefined;
}
