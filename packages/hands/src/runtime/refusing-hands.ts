import { randomUUID } from 'node:crypto';
import type { CallFailure, CallResult, SynapseError } from '@synapse/protocol';
import type { AnyTool } from '../tool/tool.ts';
import type { CallOptions } from '../call/call.ts';
import { findDialect } from '../dialects/find-dialect.ts';
import { runDialectCall, type DialectRunner } from '../dialects/run-dialect-call.ts';
import { NO_SERVERS } from '../mcp-client/mcp-status.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import type { NetworkPolicy } from '../sandbox/sandbox-policy.ts';
import { describeUnopened } from './describe-constraints.ts';
import { dialectHands } from './dialect-hands.ts';
import type { Hands } from './hands.ts';
import { ToolRegistry } from './registry.ts';

/** The part of hands that a server needs. */
export interface ServedHands extends Pick<
  Hands,
  'call' | 'explain' | 'dialect' | 'constraints' | 'mcp' | 'warmUp' | 'endSession' | 'onToolsChanged'
> {
  tools(): readonly AnyTool[];
}

/**
 * Hands that list their tools and refuse every call with the same error: for a server that must answer before it knows its
 * workspace.
 *
 * @param network what commands will reach
 */
export function refusingHands(refusal: () => SynapseError, network: NetworkPolicy = 'off'): ServedHands {
  const registry = new ToolRegistry([...CANONICAL_TOOLS]);
  const refuse = (name: string, _input: unknown, { callId = randomUUID(), sessionId }: CallOptions = {}): CallFailure => {
    const { code, message, hint, retryable } = refusal();
    const session = sessionId === undefined ? {} : { sessionId };
    return {
      ok: false,
      error: { code, message, ...(hint === undefined ? {} : { hint }), retryable },
      meta: { callId, tool: name, ...session, durationMs: 0, summary: `${name}() → ${code}`, completion: 'failed' },
    };
  };
  return {
    call: async (name: string, input?: unknown, options?: CallOptions): Promise<CallResult<never>> => refuse(name, input, options),
    explain: async () => {
      throw refusal();
    },
    tools: () => registry.list(),
    dialect(name) {
      const dialect = findDialect(name);
      const runner: DialectRunner = {
        call: async (...given) => refuse(...given),
        refuse: async (tool, input, options) => refuse(tool, input, options),
      };
      return dialectHands(dialect, registry, (tool, input, options = {}) => runDialectCall(runner, dialect, tool, input, options));
    },
    constraints: () => describeUnopened({ network }),
    mcp: NO_SERVERS,
    warmUp() {},
    endSession: async () => 0,
    onToolsChanged: () => () => {},
  };
}
