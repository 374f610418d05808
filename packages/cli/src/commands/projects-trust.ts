import { projectCommand } from './on-project.ts';

export const command = projectCommand({
  details: 'Before that, a project can only forbid. A trusted one may also allow, and name MCP servers to start.',
  examples: [['synapse projects trust', 'the current folder']],
  edit: (projects, folder) => {
    projects.trust(folder);
    return 'is trusted: its own configuration, as it is now, may permit something, and the MCP servers that it names now may be started (synapse mcp list)';
  },
});
