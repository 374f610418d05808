import type { McpServerStatus } from '@synapse/hands/mcp';
import { ERROR_CODES } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { confirmOrFail } from '../input/confirm-or-fail.ts';
import { isFine } from '../mcp/mcp-report.ts';
import { openHands } from '../hands/open-hands.ts';
import type { Output } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

function show({ name, state, wants = [], pendingReview, origin, reason }: McpServerStatus, err: Output): void {
  if (state === 'unapproved') {
    err.write(`${name}, from ${origin}: ${inLine(reason ?? '')}\n`);
    for (const line of wants) err.write(`  ${inLine(line)}\n`, 'yellow');
  }
  for (const { name: tool, kind, difference } of pendingReview) {
    err.write(`${tool} is ${kind}:\n`);
    for (const line of difference) err.write(`  ${line}\n`, line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim');
  }
}

export const command = defineCommand({
  details:
    'The tools of a server are pinned when it is first connected: one that is new, or whose description or arguments have changed, is not used until ' +
    'a person has seen the difference. So is a server that is new or changed in the files of a trusted folder.',
  arguments: { '<server>': 'its name, as `synapse mcp list` shows it' },
  options: { workspace, yes, json },
  examples: [['synapse mcp approve github', 'see what is new, and say yes or no']],
  async run(context) {
    const { arguments: words, options, out, err } = context;
    await using hands = await openHands({ workspace: options.workspace }, context, undefined, { connect: 'demand' });
    const before = await hands.mcp.test(words.server);
    if (before.state !== 'unapproved' && before.pendingReview.length === 0) {
      if (options.json) printJson(out, { approved: false, server: before });
      else err.write(`${before.name} is ${before.state} and holds nothing back${before.reason === undefined ? '' : `: ${inLine(before.reason)}`}\n`);
      return isFine(before) ? 0 : ERROR_CODES.tool_failed.exitCode;
    }
    show(before, err);
    if (options.json && !options.yes) printJson(out, { approved: false, server: before });
    const no = await confirmOrFail(`Approve ${before.name} like this?`, 'nothing was approved', context);
    if (no !== undefined) return no;
    // Changes that the server makes while a person reads are not approved.
    const after = await hands.mcp.approve(words.server, before);
    if (options.json) printJson(out, { approved: true, server: after });
    else err.write(`${after.name} is approved: ${after.state}, ${after.tools.length} tools.\n`, 'green');
    if (before.state === 'unapproved' || after.pendingReview.length === 0) return 0;
    err.write(`${after.pendingReview.length} tools have changed since they were shown, and are still pending: look at them once more.\n`, 'yellow');
    return ERROR_CODES.tool_failed.exitCode;
  },
});
