import type { McpServerStatus } from '@synapse/hands/mcp';
import { SynapseError } from '@synapse/protocol';
import type { ConsoleServer } from '@synapse/protocol/console';
import { remoteLines } from '../project/remote-lines.ts';
import type { Handlers } from './method.ts';

function view({ name, state, reason, target, origin, wants, tools, pendingReview, problems }: McpServerStatus): ConsoleServer {
  return {
    name,
    state,
    ...(reason === undefined ? {} : { reason }),
    target,
    origin,
    wants: [...(wants ?? [])],
    tools: [...tools],
    pendingReview: pendingReview.map((tool) => ({ name: tool.name, kind: tool.kind, difference: [...tool.difference], hash: tool.hash })),
    problems: [...problems],
  };
}

export const servers: Handlers<'servers'> = {
  'servers.list': (_, { project }) => ({
    servers: project.hands.mcp.list().map(view),
    problems: [...project.hands.mcp.problems],
    remotes: remoteLines(project.stateFolder, project.root),
  }),
  'servers.test': async ({ name }, { project }) => view(await project.hands.mcp.test(name)),
  'servers.approve': async ({ name, hashes }, { project }) => {
    const now = project.hands.mcp.list().find((server) => server.name === name);
    if (now === undefined) throw new SynapseError('not_found', `MCP server not found: ${name}`);
    // Approve only what was shown, not later changes.
    const pendingReview = now.pendingReview.filter(({ hash }) => hashes.includes(hash));
    const status = await project.hands.mcp.approve(name, { pendingReview });
    project.emit({ type: 'stale', topics: ['servers', 'tools'] });
    return view(status);
  },
};
