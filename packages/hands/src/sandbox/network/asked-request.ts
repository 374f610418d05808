import type { SecretPlace } from '../../secrets/secret.ts';
import type { HostAddress } from './host-rules.ts';

/** A request to a host whose TLS the proxy ends. */
export interface AskedRequest extends HostAddress {
  readonly scheme: SecretPlace['scheme'];
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

/** Why a request is refused: the rule that denies it or asks about it, or the rule for `--network` that would allow it. */
export type RequestRefusal = { readonly deniedBy: string; readonly asks: boolean } | { readonly allowedBy: string };

/** What a person sees of a request. */
export interface AnsweredRequest extends AskedRequest {
  readonly refusal?: RequestRefusal;
  /** Bytes that were sent to the server, with the head; undefined if it was not asked. */
  readonly sent?: number;
  /** Why it failed although it was allowed, in a few words. */
  readonly failure?: string;
}
