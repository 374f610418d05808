import type { AgentResult, AgentStatus } from '@synapse/brain';
import { count } from '@synapse/hands/internal';
import { ERROR_CODES } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import type { RunOptions } from './agent-place.ts';

const EXIT_CODES: Record<AgentStatus, number> = {
  done: 0,
  limit: ERROR_CODES.tool_failed.exitCode,
  loop: ERROR_CODES.tool_failed.exitCode,
  paused: ERROR_CODES.tool_failed.exitCode,
  refused: ERROR_CODES.tool_failed.exitCode,
  failed: ERROR_CODES.tool_failed.exitCode,
  cancelled: 130,
};

/** Prints how a run ended and returns the exit code. */
export function tellResult(result: AgentResult, { json, jsonl }: Pick<RunOptions, 'json' | 'jsonl'>, { out, err }: CommandIo): number {
  if (json) printJson(out, result);
  else if (!jsonl) {
    const { status, reason, spending, sessionId } = result;
    // The model's text was streamed already; a partial result ends with text from the loop.
    const last = result.text.split('\n').at(-1) ?? '';
    if ((status === 'limit' || status === 'loop') && last !== '') out.write(`\n${last}\n`);
    // The last line of a stopped run names the reason.
    if (reason !== undefined && !last.endsWith(reason)) err.write(`${inLine(reason)}\n`, 'yellow');
    if ('check' in result) tellCheck(result, err);
    const cost = spending.costUsd === undefined || spending.costUsd === 0 ? '' : ` · $${spending.costUsd.toFixed(4)}`;
    err.write(
      `${count(spending.calls, 'call')} · ${count(spending.turns, 'turn')} · ${spending.inputTokens + spending.outputTokens} tokens${cost}\n`,
      'dim',
    );
    if (status === 'paused' || status === 'cancelled') err.write(`Continue with: synapse resume ${sessionId}\n`);
  }
  return EXIT_CODES[result.status];
}

function tellCheck(result: AgentResult & { readonly check?: unknown }, err: CommandIo['err']): void {
  const { check } = result;
  if (typeof check !== 'object' || check === null || !('unreadFiles' in check) || !Array.isArray(check.unreadFiles)) return;
  for (const path of check.unreadFiles) err.write(`Claimed but not read by any call: ${inLine(String(path))}\n`, 'yellow');
}
