import type { BlamedLine } from '@synapse/hands/internal';

/** The lines of one agent: a session, or all calls without one. */
export interface AgentLines {
  readonly session: string | null;
  /** The model, where the session is one of a model that Synapse ran. */
  readonly model?: string;
  readonly lines: number;
  readonly calls: number;
}

/** Who wrote the lines that a range of commits added. */
export interface Summary {
  readonly lines: number;
  /** Lines of calls, of a person or another program, from before Synapse, and those of which it is not known. */
  readonly by: Readonly<Record<BlamedLine['by'], number>>;
  /** Those of calls by session, the largest number first. */
  readonly agents: readonly AgentLines[];
  /** Those of calls by model; null stands for sessions whose model is not known. */
  readonly models: ReadonlyArray<{ readonly model: string | null; readonly lines: number }>;
}

/** Counts lines by their writers. @param modelOf the model of a session, if it is known */
export function summarize(blamed: readonly BlamedLine[], modelOf: (session: string) => string | undefined): Summary {
  const by = { hands: 0, 'person-or-other': 0, before: 0, unknown: 0 };
  const sessions = new Map<string | null, { lines: number; readonly calls: Set<string> }>();
  for (const { by: writer, session = null, call = '' } of blamed) {
    by[writer] += 1;
    if (writer !== 'hands') continue;
    const found = sessions.get(session) ?? { lines: 0, calls: new Set() };
    found.lines += 1;
    found.calls.add(call);
    sessions.set(session, found);
  }
  const agents = Array.from(sessions, ([session, { lines, calls }]): AgentLines => {
    const model = session === null ? undefined : modelOf(session);
    return { session, ...(model === undefined ? {} : { model }), lines, calls: calls.size };
  }).toSorted((a, b) => b.lines - a.lines);
  const models = new Map<string | null, number>();
  for (const { model = null, lines } of agents) models.set(model, (models.get(model) ?? 0) + lines);
  return {
    lines: blamed.length,
    by,
    agents,
    models: Array.from(models, ([model, lines]) => ({ model, lines })).toSorted((a, b) => b.lines - a.lines),
  };
}
