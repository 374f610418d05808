import { serveConsole } from '@synapse/console';
import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { once } from 'node:events';
import { defineCommand } from '../command/command.ts';
import { flag, parsed } from '../command/option.ts';
import { handsOptions } from '../command/shared-options.ts';
import { PORT } from '../mcp/server-options.ts';
import { openBrowser } from '../programs/open-browser.ts';
import { offerToTrack, openHands } from '../hands/open-hands.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

/** The default port, next to those of `mcp --http` and `relay`. */
const DEFAULT_PORT = 7413;

const { workspace, allow, sandbox, network } = handsOptions;

/** Naming a folder tracks it; the current folder must be tracked already. */
function projectOf(folder: string | undefined): string {
  using projects = Projects.open(defaultStateFolder());
  if (folder !== undefined) projects.add(folder);
  return projects.require(workspaceRoot(folder)).root;
}

export const command = defineCommand({
  details: 'Shows every call as it happens, and lets you answer approvals, run tools and protocols, and undo changes. Only for this machine.',
  notes:
    'The address that it prints signs in one browser, once, within ten minutes. Calls of other processes in the same project are shown too. ' +
    'The page makes no request to anywhere else.',
  options: {
    workspace,
    port: parsed('<number>', `the port (default: ${DEFAULT_PORT}; 0 picks a free one)`, PORT),
    open: flag('open the address in your browser'),
    allow,
    sandbox,
    network,
  },
  examples: [
    ['synapse console --open', 'the current project, in your browser'],
    ['synapse console --workspace ~/project --port 0', 'another project, at any free port'],
  ],
  async run(context) {
    const { options, out, err, signal, version } = context;
    if (options.workspace === undefined) await offerToTrack('.', context);
    const project = projectOf(options.workspace);
    const { allow: allowed, sandbox: choice, network: reach } = options;
    await using served = await serveConsole({
      project,
      port: options.port ?? DEFAULT_PORT,
      version,
      openHands: (root, approver) =>
        openHands({ workspace: root, allow: allowed, sandbox: choice, network: reach }, { err }, approver, { connect: 'demand' }),
    });
    const url = served.createUrl();
    out.write(`${url}\n`);
    err.write(`Console of ${project}. The address works once, for ten minutes. Ctrl+C ends it.\n`, 'dim');
    if (options.open && !openBrowser(url)) err.write('No browser could be started; open the address yourself.\n', 'yellow');
    if (!signal.aborted) await once(signal, 'abort');
    return 0;
  },
});
