import { defaultStateFolder, Projects, suspiciousAttempts } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json, limit, PROJECT_ARGUMENT } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { inLine, visibleText } from '../output/visible-text.ts';

/** Default of `--limit`. */
const DEFAULT_LIMIT = 20;

export const command = defineCommand({
  details: 'Shows the calls that tried to reach something forbidden.',
  arguments: PROJECT_ARGUMENT,
  options: { json, limit: { ...limit, description: `at most this many, the newest ones (default: ${DEFAULT_LIMIT})` } },
  examples: [['synapse projects show', 'the current folder']],
  async run({ arguments: { dir = '.' }, options, out, err }) {
    using projects = Projects.open(defaultStateFolder());
    const project = projects.require(dir);
    const attempts = suspiciousAttempts(defaultStateFolder(), project.root, options.limit ?? DEFAULT_LIMIT);
    if (options.json) {
      printJson(out, { project, attempts });
      return 0;
    }
    out.write(
      `${visibleText(inLine(project.root))}\n  added ${new Date(project.added).toISOString().slice(0, 10)}, ${project.trusted ? 'trusted' : 'not trusted'}\n`,
    );
    for (const { time, tool, code, resources } of attempts) {
      const what = (resources ?? []).map(({ action, resource }) => `${action} ${resource}`).join(', ');
      out.write(`  ${time.slice(0, 19).replace('T', ' ')}  ${code}  ${visibleText(`${tool}(${what})`).replaceAll('\n', '␊')}\n`, 'yellow');
    }
    if (attempts.length === 0) err.write('No call tried to reach what is out of bounds.\n', 'dim');
    return 0;
  },
});
