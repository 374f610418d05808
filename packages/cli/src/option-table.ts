import { InvalidArgumentError } from 'commander';
import { parseTime } from './parse-time.ts';
import type { CommandOptions } from './command.ts';

/** How an option is written. */
export interface OptionDefinition {
  readonly flags: string;
  readonly description: string;
  /** Makes the value of the text; an option without one is a switch. */
  readonly parse?: (text: string) => unknown;
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function bytes(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It takes a number of bytes, such as 100000.');
  return value;
}

function amount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It takes a number, such as 20.');
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/u.test(text) || value > 65_535) throw new InvalidArgumentError('It takes a port from 0 to 65535; 0 is any that is free.');
  return value;
}

function origins(text: string): string[] {
  const named = list(text);
  // Compared as browsers write it: scheme, host, and the port where it is not the usual one.
  const wrong = named.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (wrong !== undefined) throw new InvalidArgumentError('It takes origins such as https://app.example or http://devbox:8080.');
  return named;
}

function time(text: string): Date {
  const value = parseTime(text, new Date());
  if (value === undefined) throw new InvalidArgumentError('It takes a time such as 30m, 2h, 7d, 2026-11-20 or 2026-11-20T09:30.');
  return value;
}

/** What an option is where it is not given. */
export const DEFAULTS: CommandOptions = {
  workspace: undefined,
  json: false,
  yes: false,
  allow: [],
  tools: undefined,
  dialect: undefined,
  http: false,
  host: undefined,
  port: undefined,
  tokenFile: undefined,
  allowOrigin: [],
  readable: [],
  sandbox: undefined,
  network: undefined,
  maxOutput: undefined,
  quiet: false,
  format: undefined,
  follow: false,
  tool: undefined,
  session: undefined,
  since: undefined,
  limit: undefined,
  last: undefined,
  client: undefined,
  project: false,
  user: false,
  undo: false,
  mcp: false,
  dryRun: false,
  undoable: false,
};

/** The options, for parsing and for help. */
export const OPTIONS: Readonly<Record<keyof CommandOptions, OptionDefinition>> = {
  workspace: { flags: '-w, --workspace <dir>', description: 'the folder to work in (default: the current one)', parse: (text) => text },
  json: { flags: '--json', description: 'print one JSON object, for programs' },
  yes: { flags: '-y, --yes', description: 'allow changing files and running commands, for this run' },
  allow: { flags: '--allow <list>', description: 'what to allow beyond reading: write, exec, protected', parse: list },
  tools: { flags: '--tools <list>', description: 'offer these only: names of tools, or read-only, edit, all', parse: list },
  http: { flags: '--http', description: 'serve over streamable HTTP, at /mcp' },
  host: { flags: '--host <host>', description: 'with --http: listen here (default: 127.0.0.1, this machine alone)', parse: (text) => text },
  port: { flags: '--port <number>', description: 'with --http: the port (default: 7411; 0: any that is free)', parse: port },
  tokenFile: {
    flags: '--token-file <file>',
    description: 'with --http: holds the bearer token (default: one is made in the state folder)',
    parse: (text) => text,
  },
  allowOrigin: { flags: '--allow-origin <list>', description: 'with --http: pages of these origins may ask as well', parse: origins },
  dialect: { flags: '--dialect <name>', description: 'speak as another system: its tool names, shapes and errors', parse: (text) => text },
  sandbox: { flags: '--sandbox <choice>', description: 'how commands are confined: auto (default), required, none', parse: (text) => text },
  network: { flags: '--network <choice>', description: 'what commands in the sandbox may reach: off (default), on, or a list of hosts', parse: list },
  readable: { flags: '--readable <list>', description: 'folders outside whose files may be read by absolute path, such as /', parse: list },
  maxOutput: { flags: '--max-output <bytes>', description: 'text that one answer may show (default: 51200, and 2000 lines)', parse: bytes },
  format: {
    flags: '--format <name>',
    description:
      'as a provider takes them: openai, openai-strict, openai-responses, openai-responses-native, anthropic, anthropic-native, gemini, ai-sdk, mcp, json-schema, markdown',
    parse: (text) => text,
  },
  quiet: { flags: '-q, --quiet', description: 'no progress, no advice: the report alone' },
  follow: { flags: '-f, --follow', description: 'go on with each call as it ends' },
  tool: { flags: '--tool <name>', description: 'calls of this tool only', parse: (text) => text },
  session: { flags: '--session <id>', description: 'calls of this session only', parse: (text) => text },
  since: { flags: '--since <time>', description: 'calls since then: 30m, 2h, 7d or a date', parse: time },
  last: { flags: '--last <number>', description: 'the last so many calls that changed something', parse: amount },
  client: {
    flags: '--client <name>',
    description: 'the program: claude-code, claude-desktop, cursor, vscode, codex, gemini, opencode, zed',
    parse: (text) => text,
  },
  project: { flags: '--project', description: 'for this project alone, in a file in its folder (default, where the client has one)' },
  user: { flags: '--user', description: 'for all projects, in a file in your home folder' },
  undo: { flags: '--undo', description: 'take the entry out again' },
  mcp: { flags: '--mcp', description: 'the tools of the MCP servers that the configuration names, too' },
  dryRun: { flags: '--dry-run', description: 'show what it would do, as a diff, and do nothing' },
  undoable: { flags: '--undoable', description: 'run commands on a copy and keep what they change, so that it can be undone' },
  limit: { flags: '-n, --limit <number>', description: 'at most so many, the newest ones (default: 50)', parse: amount },
};
