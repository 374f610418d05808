import { randomUUID } from 'node:crypto';
import type { ReasoningProtocol } from '../protocols/reasoning-protocol.ts';
import { checkAttribution, type AttributionCheck } from '../report/check-attribution.ts';
import { parseReport, type ParsedReport } from '../report/parse-report.ts';
import { seenInEither, sessionCalls, type SeenCalls } from '../report/seen-calls.ts';
import type { AgentResult } from './agent-result.ts';
import { temporarySession } from './agent-session.ts';
import { runAgent } from './run-agent.ts';
import type { RunAgentOptions } from './run-agent-options.ts';

/** Options of {@link runProtocol}. */
export interface RunProtocolOptions extends Omit<RunAgentOptions, 'task' | 'protocol'> {
  readonly protocol: ReasoningProtocol;
  /** The calls of this session in the audit log; read at the end. Default: the calls in the session. */
  readonly audited?: ((sessionId: string) => SeenCalls) | undefined;
  /** The folder of the workspace, for absolute paths in a report. */
  readonly root?: string | undefined;
}

/** The result of a protocol. */
export interface ProtocolResult extends AgentResult {
  readonly report: ParsedReport;
  /** The claims of the report, checked against the calls of this session. */
  readonly check: AttributionCheck;
}

/** Maximum calls of one run of a protocol. Part of a contract. */
export const PROTOCOL_CALLS = 10;

const TASK = 'Follow the protocol now. Your last message is the report that its last step asks for, and nothing else.';

/**
 * Runs a protocol with a model: at most ten calls, then the report. What the report claims to have read is checked
 * against the calls.
 */
export async function runProtocol({ protocol, limits, audited, root, ...options }: RunProtocolOptions): Promise<ProtocolResult> {
  const session = options.session ?? temporarySession(randomUUID());
  const fresh = session.messages.length === 0;
  const result = await runAgent({
    ...options,
    session,
    ...(fresh ? { task: TASK } : {}),
    protocol,
    limits: { calls: PROTOCOL_CALLS, ...limits },
    callsBefore: session.messages.reduce((calls, message) => calls + (message.role === 'tool' ? message.content.length : 0), 0),
  });
  const report = await parseReport(result.text);
  const shown = sessionCalls(session.messages);
  const seen = audited === undefined ? shown : seenInEither(shown, audited(session.id));
  return { ...result, report, check: checkAttribution(report.attribution, seen, root) };
}
