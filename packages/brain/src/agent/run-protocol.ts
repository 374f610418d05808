import type { ReasoningProtocol } from '../protocols/reasoning-protocol.ts';
import { checkAttribution, type AttributionCheck } from '../report/check-attribution.ts';
import { parseReport, type ParsedReport } from '../report/parse-report.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentResult } from './agent-result.ts';
import { runAgent, type RunAgentOptions } from './run-agent.ts';

/** How to run a protocol with a model. */
export interface RunProtocolOptions extends Omit<RunAgentOptions, 'task' | 'protocol'> {
  readonly protocol: ReasoningProtocol;
}

/** What came of it. */
export interface ProtocolResult extends AgentResult {
  readonly report: ParsedReport;
  /** What the report claims, held against the calls of this run. */
  readonly check: AttributionCheck;
}

/** Calls of one run of a protocol (a contract). */
export const PROTOCOL_CALLS = 10;

const TASK = 'Follow the protocol now. Your last message is the report that its last step asks for, and nothing else.';

function pathOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('path' in input)) return undefined;
  return typeof input.path === 'string' ? input.path : undefined;
}

/**
 * Runs a protocol with a model: at most ten calls, then the report of what is known by then. What the report claims to
 * have read is checked against the calls that were made.
 */
export async function runProtocol({ protocol, limits, onEvent, ...options }: RunProtocolOptions): Promise<ProtocolResult> {
  const inputs = new Map<string, unknown>();
  const filesRead = new Set<string>();
  const toolCalls = new Map<string, number>();
  const listen = (event: AgentEvent): void => {
    if (event.type === 'call-start') {
      inputs.set(event.callId, event.input);
      toolCalls.set(event.tool, (toolCalls.get(event.tool) ?? 0) + 1);
    }
    if (event.type === 'call-end' && event.ok) {
      const path = pathOf(inputs.get(event.callId));
      if (path !== undefined) filesRead.add(path);
    }
    onEvent?.(event);
  };
  const fresh = (options.session?.messages.length ?? 0) === 0;
  const result = await runAgent({
    ...options,
    ...(fresh ? { task: TASK } : {}),
    protocol,
    limits: { calls: PROTOCOL_CALLS, ...limits },
    onEvent: listen,
  });
  const report = await parseReport(result.text);
  return { ...result, report, check: checkAttribution(report.attribution, { filesRead, toolCalls }) };
}
