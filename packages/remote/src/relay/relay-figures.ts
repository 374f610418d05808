/** What a relay counts, for its operator. Nothing in it names a session, a device or a tool. */
export interface RelayFigures {
  /** Sessions in memory. */
  readonly sessions: number;
  readonly machines: number;
  readonly agents: number;
  /** Calls without a result. */
  readonly openCalls: number;
  /** Results that wait for their agents. */
  readonly waitingResults: number;
}

/** What passed a relay since it started. */
export interface RelayTraffic {
  connections: number;
  texts: { in: number; out: number };
  characters: { in: number; out: number };
  /** Connections that the relay ended, by the code that it gave. */
  readonly closed: Map<number, number>;
}

export const noTraffic = (): RelayTraffic => ({
  connections: 0,
  texts: { in: 0, out: 0 },
  characters: { in: 0, out: 0 },
  closed: new Map(),
});

type Metric = readonly [name: string, kind: 'gauge' | 'counter', help: string, values: ReadonlyArray<readonly [labels: string, value: number]>];

const both = ({ in: received, out: sent }: RelayTraffic['texts']): Metric[3] => [
  ['{direction="in"}', received],
  ['{direction="out"}', sent],
];

/** Formats the figures of a relay for Prometheus (text format 0.0.4). */
export function metricsText(figures: RelayFigures, traffic: RelayTraffic, now: { readonly sockets: number; readonly memory: number }): string {
  const closed = [...traffic.closed].toSorted(([a], [b]) => a - b).map(([code, count]) => [`{code="${code}"}`, count] as const);
  const metrics: readonly Metric[] = [
    ['synapse_relay_connections', 'gauge', 'Open connections.', [['', now.sockets]]],
    ['synapse_relay_connections_total', 'counter', 'Connections that were let in or turned away after the upgrade.', [['', traffic.connections]]],
    ['synapse_relay_closed_total', 'counter', 'Connections that the relay ended, by close code.', closed],
    ['synapse_relay_sessions', 'gauge', 'Sessions that this relay runs.', [['', figures.sessions]]],
    ['synapse_relay_machines', 'gauge', 'Machines that are connected.', [['', figures.machines]]],
    ['synapse_relay_agents', 'gauge', 'Agents that are connected.', [['', figures.agents]]],
    ['synapse_relay_calls', 'gauge', 'Calls without a result.', [['', figures.openCalls]]],
    ['synapse_relay_results', 'gauge', 'Results that their agents have not confirmed.', [['', figures.waitingResults]]],
    ['synapse_relay_texts_total', 'counter', 'Texts that passed, in WebSocket messages.', both(traffic.texts)],
    ['synapse_relay_characters_total', 'counter', 'Their length in UTF-16 units.', both(traffic.characters)],
    ['process_resident_memory_bytes', 'gauge', 'Resident memory.', [['', now.memory]]],
  ];
  return metrics
    .flatMap(([name, kind, help, values]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${kind}`,
      ...values.map(([labels, value]) => `${name}${labels} ${value}`),
    ])
    .join('\n')
    .concat('\n');
}
