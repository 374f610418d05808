import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { type ProjectReview } from '@synapse/hands/mcp';
import { defineCommand } from '../command/command.ts';
import { json, PROJECT_ARGUMENT, yes } from '../command/shared-options.ts';
import { confirmOrThrow } from '../input/confirm-or-fail.ts';
import type { Output } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

function show({ starts, configuration, problems }: ProjectReview, err: Output): void {
  if (starts.length === 0) err.write('It names no MCP server to start.\n');
  for (const { name, origin, lines } of starts) {
    err.write(`MCP server ${inLine(name)}, from ${inLine(origin)}:\n`);
    for (const line of lines) err.write(`  ${inLine(line)}\n`, 'yellow');
  }
  if (configuration !== undefined) err.write(`The allow rules and the mode of ${inLine(configuration)} count.\n`);
  err.write('Language servers that are inside it may run for diagnostics.\n');
  for (const problem of problems) err.write(`${inLine(problem)}\n`, 'red');
}

export const command = defineCommand({
  details:
    'Without trust, a project can only forbid. A trusted one can also allow, and start MCP servers. Shows each program that would be ' +
    'started, and asks. Later changes need another approval (synapse mcp approve).',
  arguments: PROJECT_ARGUMENT,
  options: { yes, json },
  examples: [['synapse projects trust', 'see what the current folder would start, and say yes or no']],
  async run(context) {
    const { arguments: words, options, out, err } = context;
    const { dir = '.' } = words;
    using projects = Projects.open(defaultStateFolder());
    const review = projects.review(dir);
    show(review, err);
    await confirmOrThrow(`Trust ${inLine(workspaceRoot(dir))} with this?`, 'nothing was trusted', context);
    // Changes to the project while a person reads are not trusted.
    projects.trust(dir, true, review);
    if (options.json) printJson(out, { project: projects.get(dir) ?? null, starts: review.starts });
    else err.write(`${inLine(workspaceRoot(dir))} is trusted.\n`, 'green');
    return 0;
  },
});
