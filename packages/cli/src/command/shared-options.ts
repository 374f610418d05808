import { GRANTS } from '@synapse/hands';
import { count, flag, list, parsed, text, words } from './option.ts';

// An option that several commands take means the same in each, and is declared here once.

export const workspace = text('<dir>', 'the folder to work in (default: the current one)', { short: 'w' });
export const json = flag('print one JSON object, for programs');
/** Of a command that asks one question: a yes to it, which grants nothing else. */
export const yes = flag('answer yes to the question: do it without asking', { short: 'y' });
export const allow = list('<list>', `what to allow beyond reading: ${GRANTS.join(', ')}`);
export const session = text('<id>', 'calls of this session only');
export const limit = parsed('<number>', 'at most so many, the newest ones (default: 50)', count(20), { short: 'n' });
export const dialect = text('<name>', 'as another system: its tool names, shapes and errors', { rare: true });
export const mcp = flag('with the tools of your other MCP servers');
export const readable = list('<list>', 'folders outside that may be read by absolute path', { rare: true });

/** How hands are opened that run tools. */
export const handsOptions = {
  workspace,
  dialect,
  allow,
  readable,
  sandbox: text('<choice>', 'how commands are confined: auto, required, none'),
  network: parsed('<choice>', 'what commands may reach: off, on, or a list of hosts', { expects: 'off, on, or a list of hosts', parse: words }),
  maxOutput: parsed('<bytes>', 'text that one answer may show (default: 51200)', count(100_000, 'a number of bytes'), { rare: true }),
} as const;
