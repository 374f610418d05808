import { defaultStateFolder, forwardPort, WorkspaceJobs } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { count, parsed } from '../command/option.ts';
import { workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { untilAborted } from '../output/until-aborted.ts';

/** The highest port. */
const MAX_PORT = 65_535;

const PORT = {
  expects: 'a port, such as 3000',
  parse: (given: string): number | undefined => {
    const port = count(3000).parse(given);
    return port !== undefined && port <= MAX_PORT ? port : undefined;
  },
};

export const command = defineCommand({
  details:
    'Jobs have a network of their own, so that two servers can use one port. This prints an address of this machine that leads to the port, and ' +
    'keeps it until Ctrl+C. What answers there is a program that a model may have written; your browser sends it the cookies of 127.0.0.1.',
  arguments: { '<id>': 'as `synapse jobs` shows it, or its beginning' },
  options: { workspace, branch, port: parsed('<number>', 'the port of the job (default: the only one)', PORT) },
  examples: [
    ['synapse jobs forward j-3f2a', 'open a server of a job in your browser'],
    ['synapse jobs forward j-3f2a --port 3000 --branch fix-login', 'one of several, in a branch'],
  ],
  async run({ arguments: words, options, out, err, signal }) {
    const jobs = new WorkspaceJobs(defaultStateFolder(), workspaceRoot(options.workspace));
    const id = jobs.named(words.id);
    const ports = jobs.ports(id);
    const [chosen, ...others] = options.port === undefined ? ports : ports.filter(({ port }) => port === options.port);
    const list = ports.map(({ port }) => port).join(', ');
    if (chosen === undefined) {
      const hint = ports.length > 0 ? `It listens on ${list}.` : 'Wait until its server has started: synapse jobs output shows what it prints.';
      throw new SynapseError('not_found', `${id} does not listen on ${options.port === undefined ? 'any port' : `port ${options.port}`}.`, { hint });
    }
    if (others.length > 0)
      throw new SynapseError('invalid_arguments', `${id} listens on several ports.`, { hint: `Choose one with --port: ${list}` });
    if (chosen.isShared) {
      out.write(`http://127.0.0.1:${chosen.port}/\n`);
      err.write('The job uses the network of this machine, so nothing is forwarded.\n', 'dim');
      return 0;
    }
    await using forwarded = await forwardPort(chosen);
    out.write(`http://127.0.0.1:${forwarded.port}/\n`);
    err.write(`It leads to port ${chosen.port} of ${id} until Ctrl+C.\n`, 'dim');
    await untilAborted(signal);
    return 0;
  },
});
