import type { McpServerStatus } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import type { CommandAction } from '../command.ts';
import { declined } from '../declined.ts';
import { isFine } from '../mcp-report.ts';
import { openHands } from '../open-hands.ts';
import type { Output } from '../output.ts';
import { inLine, visibleJson } from '../visible-text.ts';

function show({ name, state, wants = [], heldBack, origin, reason }: McpServerStatus, err: Output): void {
  if (state === 'unapproved') {
    err.write(`${name}, from ${origin}: ${inLine(reason ?? '')}\n`);
    for (const line of wants) err.write(`  ${inLine(line)}\n`, 'yellow');
  }
  for (const { name: tool, kind, difference } of heldBack) {
    err.write(`${tool} is ${kind}:\n`);
    for (const line of difference) err.write(`  ${line}\n`, line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim');
  }
}

/** Lets in what a server has changed, after a person saw it. */
export const mcpApprove: CommandAction = async (context) => {
  const { options, out, err } = context;
  const [name = ''] = context.arguments;
  await using hands = await openHands({ ...options, yes: false }, err, undefined, { connect: 'demand' });
  const before = await hands.mcp.test(name);
  if (before.state !== 'unapproved' && before.heldBack.length === 0) {
    if (options.json) out.write(`${visibleJson(JSON.stringify({ approved: false, server: before }))}\n`);
    else err.write(`${before.name} is ${before.state} and holds nothing back${before.reason === undefined ? '' : `: ${inLine(before.reason)}`}\n`);
    return isFine(before) ? 0 : ERROR_CODES.tool_failed.exitCode;
  }
  show(before, err);
  if (options.json && !options.yes) out.write(`${visibleJson(JSON.stringify({ approved: false, server: before }))}\n`);
  const no = await declined(`Let ${before.name} in like this?`, 'nothing was let in', context);
  if (no !== undefined) return no;
  // What a server changes while a person reads was not shown to them.
  const after = await hands.mcp.approve(name, before);
  if (options.json) out.write(`${visibleJson(JSON.stringify({ approved: true, server: after }))}\n`);
  else err.write(`${after.name} is let in: ${after.state}, ${after.tools.length} tools.\n`, 'green');
  if (before.state === 'unapproved' || after.heldBack.length === 0) return 0;
  err.write(`${after.heldBack.length} tools have changed since they were shown, and are still held back: look at them once more.\n`, 'yellow');
  return ERROR_CODES.tool_failed.exitCode;
};
