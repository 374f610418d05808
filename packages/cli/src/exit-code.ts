import { ERROR_CODES, type CallMeta, type CallResult } from '@synapse/protocol';

/** A command that ran and failed is a failure of `synapse call` as well. */
const COMPLETION: Record<CallMeta['completion'], number> = {
  ok: 0,
  failed: ERROR_CODES.tool_failed.exitCode,
  timeout: ERROR_CODES.timeout.exitCode,
};

/** What the shell is told of a call. */
export function exitCode(result: CallResult): number {
  return result.ok ? COMPLETION[result.meta.completion] : ERROR_CODES[result.error.code].exitCode;
}
