import { isLoopback } from '../session-url.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Start the relay, or check host and port.',
  ENOTFOUND: 'Host not found. Check the URL and the network.',
  EAI_AGAIN: 'The name of the host cannot be looked up. Check the network.',
  ECONNRESET: 'The connection was reset. If that repeats, check the URL: for a relay with TLS it starts with wss://.',
  EHOSTUNREACH: 'The host cannot be reached. Check the network.',
  ENETUNREACH: 'The host cannot be reached. Check the network.',
  ETIMEDOUT: 'The host does not answer. Check the network.',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired. If it has not, check the clock of this machine.',
  CERT_NOT_YET_VALID: 'TLS: the certificate is not valid yet. Check the clock of this machine.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate is self-signed. Trust it with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate cannot be verified. Trust its issuer with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: the certificate cannot be verified. Trust its issuer with NODE_EXTRA_CA_CERTS.',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: the issuer of the certificate is not known here. If you trust it, name its file in NODE_EXTRA_CA_CERTS.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host. Check the URL.',
  EPROTO: 'TLS failed. For a relay without TLS the URL starts with ws://.',
};

const redirection = (status: number): string =>
  `The server redirects (HTTP ${status}), which WebSockets do not follow. Give the URL it leads to; for a relay with TLS it starts with wss://.`;

/** Answers of servers in front of a relay, and of relays. */
const STATUSES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([301, 302, 307, 308].map((status) => [status, redirection(status)])),
  401: 'The server wants a login (HTTP 401), and relays have none. Check the URL, and what the proxy before the relay demands.',
  403: 'The server refuses the connection (HTTP 403). Check the URL, and what the proxy before the relay allows.',
  404: 'There is no relay at this address (HTTP 404). Check the URL.',
  421: 'The relay does not go by this name (HTTP 421). Start it with --hostname and the name in the URL.',
  426: 'The proxy before the relay does not pass on WebSockets (HTTP 426). Check its settings.',
  429: 'The server gets too many requests (HTTP 429). Synapse tries again by itself; if that lasts, connect fewer clients, or see the limits of the server.',
  502: 'The proxy does not reach the relay (HTTP 502). See that the relay runs.',
  503: 'The server is not ready (HTTP 503). See that the relay runs.',
  504: 'The relay does not answer its proxy (HTTP 504). See that the relay runs.',
};

/** Errors of a network that may only be left through a proxy. */
const UNREACHABLE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** Says that a configured proxy is not used, where that may be the reason. */
function proxyNote(code: string, url: string, environment: NodeJS.ProcessEnv): string {
  const set = PROXIES.find((name) => (environment[name] ?? '') !== '');
  if (set === undefined || isLoopback(url) || !UNREACHABLE.has(code)) return '';
  return ` ${set} is set, but Synapse connects directly, not through a proxy.`;
}

/** Describes why a connection failed and what to do. */
export function describeProblem(error: Error, url: string, environment: NodeJS.ProcessEnv = process.env): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // What `ws` reports itself has no code.
  const timedOut = error.message === 'Opening handshake has timed out';
  return `${reasonOf(error, code)}${proxyNote(timedOut ? 'ETIMEDOUT' : code, url, environment)}`;
}

function reasonOf(error: Error, code: string): string {
  const known = PROBLEMS[code];
  if (known !== undefined) return known;
  const status = /Unexpected server response: (\d+)/u.exec(error.message)?.[1];
  if (status !== undefined) return STATUSES[status] ?? `The server answered with HTTP ${status}, not a WebSocket. Check the URL.`;
  if (error.message === 'Opening handshake has timed out') return 'The host accepts the connection but does not answer. Check the URL.';
  // `HPE_…`: the parser of HTTP.
  if (code.startsWith('HPE_')) return 'What listens there does not speak HTTP. Check the URL; for a relay with TLS it starts with wss://.';
  return `The connection failed: ${error.message.slice(0, 100)}. Check the URL.`;
}
