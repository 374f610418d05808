import { isSynapseError, SynapseError } from '@synapse/protocol';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { SecureContext } from 'node:tls';
import { putSecret } from './put-secret.ts';
import { placeText, type Secret, type SecretPlace } from './secret.ts';

/** Milliseconds for a server to answer. */
const TIMEOUT_MS = 15_000;

/** What a server said to a request with a secret. */
export interface SecretTrial {
  readonly place: string;
  readonly path: string;
  readonly status: number;
  /** Whether it took the secret: `unknown` if the status says nothing about that. */
  readonly accepted: 'yes' | 'no' | 'unknown';
}

/** How one request is sent. */
export interface TrialOptions {
  readonly signal: AbortSignal;
  /** How the server is verified: as the proxy verifies it for commands. */
  readonly verifying: () => SecureContext;
}

const judged = (status: number): SecretTrial['accepted'] =>
  status === 401 || status === 403 ? 'no' : status >= 200 && status < 300 ? 'yes' : 'unknown';

/**
 * Sends one GET request with a secret to a server of it, and tells the status. Follows no redirect.
 *
 * @throws SynapseError `unavailable` if the server does not answer; `cancelled`
 */
export async function trySecret(
  { value }: Pick<Secret, 'value'>,
  place: SecretPlace,
  path: string,
  { signal, verifying }: TrialOptions,
): Promise<SecretTrial> {
  if (place.as.kind === 'aws') {
    throw new SynapseError('unavailable', `${placeText(place)} was not asked: only requests of programs are signed.`, {
      hint: 'Run "aws sts get-caller-identity" as a command, with --network sts.amazonaws.com and that host in the secret.',
    });
  }
  const given = place.as.kind === 'env' ? { ...place, as: { kind: 'bearer' } as const } : place;
  const head = putSecret({ path, headers: { 'user-agent': 'synapse', accept: '*/*' } }, given, { value, placeholder: value });
  const { host, port, scheme } = place;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const send = scheme === 'https' ? httpsRequest : httpRequest;
  const headers = Object.fromEntries(Object.entries(head.headers).map(([name, text]) => [name, typeof text === 'string' ? text : [...text]]));
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  // Whatever the environment says about certificates: it may come from a project.
  const trust = scheme === 'https' ? { secureContext: verifying(), rejectUnauthorized: true } : {};
  const sent = send({ host, port, path: head.path, headers, signal: ended, agent: false, ...trust }, (answer) => {
    answer.destroy();
    resolve(answer.statusCode ?? 0);
  });
  sent.on('error', reject).end();
  try {
    const status = await promise;
    return { place: placeText(place), path, status, accepted: judged(status) };
  } catch (error) {
    if (isSynapseError(error)) throw error;
    if (signal.aborted) throw new SynapseError('cancelled', 'The test was interrupted.');
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
    if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/u.test(code)) {
      throw new SynapseError('unavailable', `The certificate of ${placeText(place)} is not valid for this machine${code}, so it was sent nothing.`, {
        hint: 'See that the host is right. What this machine trusts is what its system trusts, and the files in SSL_CERT_FILE and NODE_EXTRA_CA_CERTS.',
      });
    }
    throw new SynapseError('unavailable', `${placeText(place)} did not answer${code}.`, {
      hint: 'See that the host is right and that this machine reaches it.',
    });
  }
}
