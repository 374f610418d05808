import { defaultStateFolder, Projects, suspiciousAttempts } from '@synapse/hands';
import type { CommandAction } from '../command.ts';
import { inLine, visibleJson, visibleText } from '../visible-text.ts';

/** Attempts that are shown where nobody says how many. */
const DEFAULT_LIMIT = 20;

/** Shows a project, and the calls that tried to reach what is out of bounds. */
export const projectsShow: CommandAction = async ({ arguments: [folder = '.'], options, out, err }) => {
  using projects = Projects.open(defaultStateFolder());
  const project = projects.require(folder);
  const attempts = suspiciousAttempts(defaultStateFolder(), project.root, options.limit ?? DEFAULT_LIMIT);
  if (options.json) {
    out.write(`${visibleJson(JSON.stringify({ project, attempts }, null, out.isTerminal ? 2 : 0))}\n`);
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
};
