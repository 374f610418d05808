import { choosePort, defaultStateFolder, forwardPort, WorkspaceJobs } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { count, parsed } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { tellPort } from '../output/tell-port.ts';
import { untilAborted } from '../output/until-aborted.ts';
import { refuseLocalOptions, remote } from '../remote/remote-options.ts';

/** The highest port. */
const MAX_PORT = 65_535;

const PORT = {
  expects: 'a port, such as 3000',
  parse: (given: string): number | undefined => {
    const port = count(3000).parse(given);
    return port !== undefined && port <= MAX_PORT ? port : undefined;
  },
};

const ADVICE = {
  wait: 'Wait until its server has started: synapse jobs output shows what it prints.',
  choose: 'Choose one with --port',
};

export const command = defineCommand({
  details:
    'Jobs have a network of their own, so that two servers can use one port. This prints an address of this machine that leads to the port, and ' +
    'keeps it until Ctrl+C. What answers there is a program that a model may have written; your browser sends it the cookies of 127.0.0.1.',
  notes: 'With --remote, the grant of this device needs --ports (synapse pair). All programs of this machine can use the address.',
  arguments: { '<id>': 'as `synapse jobs` shows it, or its beginning' },
  options: {
    workspace,
    branch,
    port: parsed('<number>', 'the port of the job (default: the only one)', PORT),
    localPort: parsed('<number>', 'with --remote: the port here (default: a free one)', PORT, { rare: true }),
    json: { ...json, description: 'print the address as one JSON object, for programs' },
    remote,
  },
  examples: [
    ['synapse jobs forward j-3f2a', 'open a server of a job in your browser'],
    ['synapse jobs forward j-3f2a --port 3000 --branch fix-login', 'one of several, in a branch'],
    ['synapse jobs forward j-3f2a --port 3000 --remote wss://relay.example#laptop', 'of a job on another machine'],
  ],
  async run(context) {
    const { arguments: words, options, err, signal } = context;
    if (options.remote !== undefined) {
      refuseLocalOptions({ workspace, branch }, options);
      const { forwardRemote } = await import('../remote/forward-remote.ts');
      return await forwardRemote(options.remote, words.id, options, context);
    }
    if (options.localPort !== undefined)
      throw new SynapseError('invalid_arguments', '--local-port is for --remote.', { hint: 'Leave it out: this prints a free port.' });
    const jobs = new WorkspaceJobs(defaultStateFolder(), workspaceRoot(options.workspace));
    const id = jobs.named(words.id);
    const chosen = choosePort(id, jobs.ports(id), options.port, ADVICE);
    if (chosen.isShared) {
      tellPort({ job: id, jobPort: chosen.port, port: chosen.port }, options.json, context);
      err.write('The job uses the network of this machine, so nothing is forwarded.\n', 'dim');
      return 0;
    }
    await using forwarded = await forwardPort(chosen);
    tellPort({ job: id, jobPort: chosen.port, port: forwarded.port }, options.json, context);
    err.write(`It leads to port ${chosen.port} of ${id} until Ctrl+C.\n`, 'dim');
    await untilAborted(signal);
    return 0;
  },
});
