import { CAPABILITIES } from '@synapse/hands/policy';
import { count, flag, list, longFlag, type Options, parsed, text, words } from './option.ts';

// Options that several commands share. Declared once, so that they mean the same everywhere.

export const workspace = text('<dir>', 'the folder to work in (default: the current one)', { short: 'w' });
export const json = flag('print one JSON object, for programs');
/** For a command that asks one question: answers yes, and grants nothing else. */
export const yes = flag('answer yes to the question', { short: 'y' });
export const allow = list('<list>', `beyond reading: ${CAPABILITIES.join(', ')}`);
export const session = text('<id>', 'calls of this session only; the beginning of its id is enough');
export const limit = parsed('<number>', 'at most this many, the newest ones (default: 50)', count(20), { short: 'n' });
export const dialect = text('<name>', "use another system's tool names, formats and errors", { rare: true });
export const mcp = flag('with the tools of your other MCP servers');
const readable = list('<list>', 'folders outside the workspace that may be read', { rare: true });

/** Options for opening hands that run tools. */
export const handsOptions = {
  workspace,
  dialect,
  allow,
  readable,
  sandbox: text('<choice>', 'the sandbox: auto, required, confined, landlock, none'),
  network: parsed('<choice>', 'what commands may reach: off, packages, on, or a list of hosts', {
    expects: 'off, packages, on, or a list of hosts',
    parse: words,
  }),
  maxOutput: parsed('<bytes>', 'maximum bytes of text in one answer (default: 40000; commands: 8192)', count(100_000, 'a number of bytes'), {
    rare: true,
  }),
} as const;

/** The argument of every command about one project. */
export const PROJECT_ARGUMENT = { '[dir]': 'the project (default: the current folder)' } as const;

type Value = string | number | boolean | readonly string[] | undefined;

/** Converts options back to the words of a command line. Leaves out options that were not given. */
export function optionWords<Declared extends Options>(declared: Declared, values: { readonly [Name in keyof Declared]: Value }): string[] {
  return Object.keys(declared).flatMap((name) => {
    const value = values[name];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return [];
    return value === true ? [longFlag(name)] : [longFlag(name), String(value)];
  });
}
