import type { RelayAccess } from '@synapse/protocol/remote';

/** NATS names of a relay. Open relays share nothing with paired ones: they would open their sessions to everyone. */
export interface NatsNames {
  /** The stream of the session logs. */
  readonly stream: string;
  readonly logs: string;
  log(session: string): string;
  /** The subject that a node receives messages on. */
  link(node: string): string;
  /** The subject on which a node learns that a message to another node had no receiver. */
  unheard(node: string, other: string): string;
  /** The subject on which a node announces that it took over a session. */
  readonly taken: string;
  readonly buckets: { readonly nodes: string; readonly owners: string; readonly account: string };
}

/** Encodes a session name for a subject, in which dots separate tokens. */
export const subjectToken = (session: string): string => session.replaceAll('.', '=');

export function natsNames(access: RelayAccess): NatsNames {
  const base = access === 'open' ? 'synapse-dev' : 'synapse';
  return {
    stream: `${base}-log`,
    logs: `${base}.log.*`,
    log: (session) => `${base}.log.${subjectToken(session)}`,
    link: (node) => `${base}.link.${node}`,
    unheard: (node, other) => `${base}.unheard.${node}.${other}`,
    taken: `${base}.taken`,
    buckets: { nodes: `${base}-nodes`, owners: `${base}-owners`, account: `${base}-account` },
  };
}
