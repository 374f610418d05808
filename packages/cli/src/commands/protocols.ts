import { listProtocols } from '@synapse/brain';
import { count } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

const BUILT_IN = 'built in';

export const command = defineCommand({
  details: 'Lists the built-in protocols and those in .synapse/protocols of the project.',
  options: { workspace, json },
  examples: [
    ['synapse protocols', 'those that can be used in this folder'],
    ['synapse run --protocol review-changes', 'follow one'],
  ],
  async run({ options, out, err }) {
    const { protocols, problems } = await listProtocols(workspaceRoot(options.workspace));
    const invalid = Array.from(problems, ([file, { message }]) => ({ file, message }));
    if (options.json) {
      printJson(out, {
        protocols: protocols.map(({ id, title, description, steps, file }) => ({
          id,
          title,
          description,
          steps: steps.map((step) => step.title),
          source: file ?? BUILT_IN,
        })),
        problems: invalid,
      });
      return 0;
    }
    out.write(columns(protocols.map(({ id, title, steps, file }) => [id, `${title}, ${count(steps.length, 'step')}`, file ?? BUILT_IN])));
    for (const { file, message } of invalid) err.write(`${inLine(file)} cannot be used: ${inLine(message)}\n`, 'yellow');
    return 0;
  },
});
