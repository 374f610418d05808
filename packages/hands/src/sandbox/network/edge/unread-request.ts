const NO_HTTP2 = 'the program speaks only HTTP/2, as gRPC does, which is not possible to a host with a secret or with rules about requests';

/** Why Node's parser or TLS gave up, by the codes of its errors, in words for a person. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ERR_SSL_NO_APPLICATION_PROTOCOL', NO_HTTP2],
  ['HPE_PAUSED_H2_UPGRADE', NO_HTTP2],
  ['HPE_HEADER_OVERFLOW', 'the head of a request is longer than 16 kB'],
]);

/** Why what a program sent was read as no request, in words for a person; undefined for what happens as programs end. */
export function unreadBecause(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // Programs that pin certificates end the handshake like this.
  if (/unknown ca|certificate unknown|bad certificate/iu.test(error.message)) return 'the program did not trust the certificate of the proxy';
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') return REASONS.get(code);
  return REASONS.get(code) ?? `what the program sent is no request of HTTP/1.1 (${code})`;
}
