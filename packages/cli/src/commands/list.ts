import type { Command } from '../command/command.ts';

/** A command by the words it is called by, and where it is. */
export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Named by the help of the program, and not described there. */
  readonly rare?: boolean;
  /** Loads the command's file, and with it what the command works with. */
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** Every command, in the order of the help: those most often used come first. To add one, write its file and a line here. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'resurrect', summary: 'report where a project stands and what to do next', load: () => import('./resurrect.ts') },
  { name: 'mcp', summary: 'serve the tools to MCP clients, over stdio or HTTP', load: () => import('./mcp.ts') },
  { name: 'mcp install', summary: "write the server into an MCP client's configuration", load: () => import('./mcp-install.ts') },
  { name: 'mcp list', summary: 'list the MCP servers whose tools can be used, with their state', load: () => import('./mcp-list.ts') },
  { name: 'mcp test', summary: 'connect an MCP server, show its tools and what is wrong', load: () => import('./mcp-test.ts') },
  { name: 'mcp approve', summary: 'approve what an MCP server has changed', load: () => import('./mcp-approve.ts') },
  { name: 'run', summary: 'let a model work on a task', load: () => import('./run.ts') },
  { name: 'chat', summary: 'talk with a model that has the tools', load: () => import('./chat.ts') },
  { name: 'resume', summary: 'go on with a session that stopped', load: () => import('./resume.ts') },
  { name: 'sessions', rare: true, summary: 'list the sessions of models', load: () => import('./sessions.ts') },
  { name: 'sessions show', summary: 'show what was said and done in a session', load: () => import('./sessions-show.ts') },
  { name: 'sessions export', summary: 'print a session as JSON Lines', load: () => import('./sessions-export.ts') },
  { name: 'connect', summary: 'let a brain far away use the tools of this machine', load: () => import('./connect.ts') },
  { name: 'relay', summary: 'serve a relay, where machines and brains meet', load: () => import('./relay.ts') },
  { name: 'prompt', rare: true, summary: 'print the system prompt that a model gets', load: () => import('./prompt.ts') },
  { name: 'call', summary: 'run one tool', load: () => import('./call.ts') },
  { name: 'tools', summary: 'list the tools', load: () => import('./tools.ts') },
  { name: 'log', summary: 'show what was done, from the audit log', load: () => import('./log.ts') },
  { name: 'log verify', summary: 'check that the audit log was not changed', load: () => import('./log-verify.ts') },
  { name: 'jobs', summary: 'list the commands that run in the background', load: () => import('./jobs-list.ts') },
  { name: 'jobs output', summary: 'print what a job has written', load: () => import('./jobs-output.ts') },
  { name: 'jobs stop', summary: 'end a job', load: () => import('./jobs-stop.ts') },
  { name: 'jobs detach', summary: 'let a job outlive its session', load: () => import('./jobs-detach.ts') },
  { name: 'changes', summary: 'show what calls changed, as diffs', load: () => import('./changes.ts') },
  { name: 'changes pending', summary: 'list what commands changed that waits for you', load: () => import('./changes-pending.ts') },
  { name: 'changes apply', summary: 'apply what a command changed', load: () => import('./changes-apply.ts') },
  { name: 'changes drop', summary: 'delete what a command changed', load: () => import('./changes-drop.ts') },
  { name: 'undo', summary: 'undo what calls changed', load: () => import('./undo.ts') },
  { name: 'policy', summary: 'list the rules in force and the saved approvals', load: () => import('./policy-list.ts') },
  { name: 'policy explain', summary: 'show what the policy says to a call, and by which rule', load: () => import('./policy-explain.ts') },
  { name: 'policy check', summary: 'check the configuration files and the examples of their rules', load: () => import('./policy-check.ts') },
  { name: 'policy list', summary: 'list the rules in force and the saved approvals', load: () => import('./policy-list.ts') },
  { name: 'policy revoke', summary: 'revoke a saved approval', load: () => import('./policy-revoke.ts') },
  { name: 'quarantine', rare: true, summary: 'list what was taken away after commands', load: () => import('./quarantine-list.ts') },
  { name: 'quarantine restore', summary: 'put something back where it was', load: () => import('./quarantine-restore.ts') },
  { name: 'quarantine discard', summary: 'delete something for good', load: () => import('./quarantine-discard.ts') },
  { name: 'quarantine unlock', summary: 'let commands run again', load: () => import('./quarantine-unlock.ts') },
  { name: 'projects', summary: 'list the tracked projects', load: () => import('./projects-list.ts') },
  { name: 'projects add', summary: 'track a folder', load: () => import('./projects-add.ts') },
  { name: 'projects list', summary: 'list the tracked projects', load: () => import('./projects-list.ts') },
  { name: 'projects remove', summary: 'stop tracking a folder', load: () => import('./projects-remove.ts') },
  { name: 'projects trust', summary: "let a project's own configuration permit something", load: () => import('./projects-trust.ts') },
  { name: 'projects show', summary: 'show a project and the calls that were refused there', load: () => import('./projects-show.ts') },
  { name: 'doctor', summary: 'check what works on this machine', load: () => import('./doctor.ts') },
];
