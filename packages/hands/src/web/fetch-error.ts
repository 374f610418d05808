import { SynapseError, isSynapseError, type ErrorCode } from '@synapse/protocol';

interface Meaning {
  readonly codes: RegExp;
  readonly code: ErrorCode;
  readonly message: (host: string) => string;
  readonly hint: string;
}

const AGAIN = 'Repeat the call in a moment, or use another source.';

/** Meanings of failed requests, by the code of the innermost error. The first matching row counts. */
const MEANINGS: readonly Meaning[] = [
  {
    codes: /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/u,
    code: 'unavailable',
    message: (host) => `The certificate of ${host} is not valid, so nothing was read.`,
    hint: 'Certificates are always checked. Use another address; a company authority is made known by NODE_EXTRA_CA_CERTS.',
  },
  {
    codes: /^(?:EPROTO|ERR_SSL_|ERR_TLS_|UND_ERR_PRX_TLS)/u,
    code: 'unavailable',
    message: (host) => `Secure connection failed: ${host}`,
    hint: 'Check whether the address should begin with http:// or name another port.',
  },
  {
    codes: /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/u,
    code: 'unavailable',
    message: (host) => `${host} does not accept connections.`,
    hint: 'Check the address and its port, and that this machine has a network.',
  },
  {
    codes: /TIMEOUT|^ETIMEDOUT$/u,
    code: 'unavailable',
    message: (host) => `${host} did not answer in time.`,
    hint: AGAIN,
  },
  {
    codes: /^UND_ERR_HEADERS_OVERFLOW$|^HPE_HEADER_OVERFLOW$/u,
    code: 'too_large',
    message: (host) => `${host} sent more headers than any page needs.`,
    hint: 'Use another source.',
  },
  {
    codes: /^HPE_|^HTTPParserError$|^UND_ERR_(?:RES_|RESPONSE_|HTTP_PARSER)|^Z_|^ERR__ZSTD|^ERR_BROTLI|^ERR_ZSTD|^ERR__ERROR_/u,
    code: 'tool_failed',
    message: (host) => `${host} sent an answer that is no valid HTTP.`,
    hint: 'Check the port and whether it serves pages at all, or use another source.',
  },
  {
    codes: /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|UND_ERR_ABORTED)$/u,
    code: 'unavailable',
    message: (host) => `${host} broke off the connection.`,
    hint: AGAIN,
  },
];

/** The codes of an error and its causes. For several connection attempts, the first counts. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [];
  // The HTTP parser sets a code only for some of its errors.
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [error.name];
  const inner = error instanceof AggregateError ? codesOf(error.errors[0], depth + 1) : codesOf(error.cause, depth + 1);
  return [...inner, ...own];
}

/** Converts an error of a request, or of reading its response, to a coded error. */
export function fetchError(error: unknown, host: string): SynapseError {
  if (isSynapseError(error)) return error;
  // The fetch standard blocks some ports, such as that of SSH, and its error has no code.
  if (error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port') {
    return new SynapseError('denied', `That port of ${host} belongs to another service, and nothing is fetched from it.`, {
      hint: 'Use another port of that host, or another source.',
      cause: error,
    });
  }
  const codes = codesOf(error);
  const meaning = MEANINGS.find((row) => codes.some((code) => row.codes.test(code)));
  if (meaning === undefined) return new SynapseError('unavailable', `The exchange with ${host} failed.`, { hint: AGAIN, cause: error });
  return new SynapseError(meaning.code, meaning.message(host), { hint: meaning.hint, cause: error });
}
