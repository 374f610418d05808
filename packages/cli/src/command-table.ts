import { InvalidArgumentError } from 'commander';
import { parseTime } from './parse-time.ts';
import type { CommandDefinition, CommandOptions } from './command.ts';

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
  dryRun: false,
  undoable: false,
};

/** The options, for parsing and for help. */
export const OPTIONS: Readonly<Record<keyof CommandOptions, OptionDefinition>> = {
  workspace: { flags: '-w, --workspace <dir>', description: 'the folder to work in (default: the current one)', parse: (text) => text },
  json: { flags: '--json', description: 'print one JSON object, for programs' },
  yes: { flags: '-y, --yes', description: 'allow changing files and running commands, for this run' },
  allow: { flags: '--allow <list>', description: 'what to allow beyond reading: write, exec, protected', parse: list },
  tools: { flags: '--tools <list>', description: 'offer these tools only', parse: list },
  dialect: { flags: '--dialect <name>', description: 'speak as another system: its tool names, shapes and errors', parse: (text) => text },
  sandbox: { flags: '--sandbox <choice>', description: 'how commands are confined: auto (default), required, none', parse: (text) => text },
  network: { flags: '--network <choice>', description: 'what commands in the sandbox may reach: off (default), on, or a list of hosts', parse: list },
  readable: { flags: '--readable <list>', description: 'folders outside whose files may be read by absolute path, such as /', parse: list },
  maxOutput: { flags: '--max-output <bytes>', description: 'text that one answer may show (default: 51200, and 2000 lines)', parse: bytes },
  format: {
    flags: '--format <name>',
    description: 'as a provider takes them: openai, openai-strict, openai-responses, anthropic, gemini, ai-sdk, mcp, json-schema, markdown',
    parse: (text) => text,
  },
  quiet: { flags: '-q, --quiet', description: 'no progress, no advice: the report alone' },
  follow: { flags: '-f, --follow', description: 'go on with each call as it ends' },
  tool: { flags: '--tool <name>', description: 'calls of this tool only', parse: (text) => text },
  session: { flags: '--session <id>', description: 'calls of this session only', parse: (text) => text },
  since: { flags: '--since <time>', description: 'calls since then: 30m, 2h, 7d or a date', parse: time },
  last: { flags: '--last <number>', description: 'the last so many calls that changed something', parse: amount },
  dryRun: { flags: '--dry-run', description: 'show what it would do, as a diff, and do nothing' },
  undoable: { flags: '--undoable', description: 'run commands on a copy and keep what they change, so that it can be undone' },
  limit: { flags: '-n, --limit <number>', description: 'at most so many, the newest ones (default: 50)', parse: amount },
};

const PROJECT = { '[dir]': 'the project (default: the current folder)' };

/** The commands, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'call',
    summary: 'run one tool',
    details:
      'The body of the answer goes to stdout, exactly; notes, progress and errors go to stderr.\n' +
      'Exit codes: 0 ok, 1 the tool or the command failed, 2 usage, 3 denied, 4 needs approval, 5 not found, 124 timeout, 130 interrupted.',
    arguments: { '<tool>': 'its name, as `synapse tools` lists it', '[input]': 'its arguments as a JSON object, or - to read that from stdin' },
    options: ['workspace', 'dialect', 'json', 'yes', 'allow', 'readable', 'sandbox', 'network', 'maxOutput', 'dryRun', 'undoable'],
    examples: [
      [`synapse call read_file '{"path":"README.md"}'`, 'print a file'],
      [`synapse call run_command '{"command":"npm test"}' --yes`, 'run a command, which needs a yes'],
      [`synapse call run_command '{"command":"rm -r build"}' --dry-run`, 'what a command would change'],
      ['synapse call apply_patch - --allow write < change.json', 'arguments from a file'],
      [`synapse call Read '{"file_path":"README.md"}' --dialect claude-code`, 'as another system calls it'],
    ],
    load: async () => (await import('./commands/call.ts')).call,
  },
  {
    name: 'tools',
    summary: 'list the tools',
    arguments: {},
    options: ['dialect', 'format', 'json'],
    examples: [
      ['synapse tools --json', 'names, descriptions and schemas for a program'],
      ['synapse tools --format anthropic', 'the list that a request to a provider has'],
    ],
    load: async () => (await import('./commands/tools.ts')).tools,
  },
  {
    name: 'mcp',
    summary: 'serve the tools to an MCP client over stdio',
    details: 'Reading is allowed; changing files and running commands with --allow, or where the client can ask its person (elicitation).',
    arguments: {},
    options: ['workspace', 'dialect', 'allow', 'readable', 'sandbox', 'network', 'tools', 'maxOutput', 'undoable'],
    examples: [
      ['synapse mcp --workspace ~/project', 'reading only'],
      ['synapse mcp --allow write,exec', 'changing files and running commands as well'],
      ['synapse mcp --tools read_file,search_text', 'two tools only'],
    ],
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'resurrect',
    summary: 'report where a project stands and what to do next',
    details: 'Reads the project with the built-in offline brain. Changes nothing and needs no network.',
    arguments: { '[dir]': 'the project (default: the current folder)' },
    options: ['json', 'quiet'],
    examples: [
      ['synapse resurrect', 'the current project'],
      ['synapse resurrect ~/old-project > STATUS.md', 'keep the report'],
    ],
    load: async () => (await import('./commands/resurrect.ts')).resurrect,
  },
  {
    name: 'log',
    summary: 'show what was done, from the audit log',
    details: 'Every call of every process, oldest first. A call that began and never ended, because its process was killed, is interrupted.',
    arguments: {},
    options: ['workspace', 'json', 'follow', 'tool', 'session', 'since', 'limit'],
    examples: [
      ['synapse log', 'the last 50 calls in this folder'],
      ['synapse log --since 2h --tool run_command', 'what ran in the last two hours'],
      ['synapse log --follow --json', 'each call as it ends, one JSON object a line'],
    ],
    load: async () => (await import('./commands/log.ts')).log,
    commands: [
      {
        name: 'verify',
        summary: 'check that nobody changed the audit log',
        details: 'Finds records that were changed, added, moved or taken away. The hash it prints, kept elsewhere, proves the log up to here.',
        arguments: {},
        options: ['workspace', 'json'],
        examples: [['synapse log verify', 'exit code 1 where something is wrong']],
        load: async () => (await import('./commands/log-verify.ts')).logVerify,
      },
    ],
  },
  {
    name: 'policy',
    summary: 'show what calls may do, and change what was approved',
    details: 'Rules stand in config.jsonc: in /etc/synapse, in ~/.config/synapse, and in .synapse of a project. The strictest that matches decides.',
    arguments: {},
    options: ['workspace', 'json'],
    examples: [['synapse policy', 'the rules in force here, and the saved approvals']],
    load: async () => (await import('./commands/policy-list.ts')).policyList,
    commands: [
      {
        name: 'explain',
        summary: 'tell what would be said to a call, by which rule, and every rule that was tried',
        details: 'Nothing is done. The exit code is 0 whatever the verdict is.',
        arguments: { '<tool>': 'its name, as `synapse tools` lists it', '[input]': 'its arguments as a JSON object, or - to read that from stdin' },
        options: ['workspace', 'json', 'yes', 'allow', 'readable'],
        examples: [
          [`synapse policy explain run_command '{"command":"git status && curl example.com"}'`, 'each part of a command'],
          [`synapse policy explain write_file '{"path":"a","content":""}' --json --allow write`, 'for a program: verdict, rule, effects, tried'],
        ],
        load: async () => (await import('./commands/policy-explain.ts')).policyExplain,
      },
      {
        name: 'check',
        summary: 'check the configuration files and the examples of their rules',
        details: 'Exit code 1 where something is wrong, with the file, line and column of each problem.',
        arguments: {},
        options: ['workspace', 'json'],
        examples: [['synapse policy check', 'before others rely on it']],
        load: async () => (await import('./commands/policy-check.ts')).policyCheck,
      },
      {
        name: 'list',
        summary: 'list the rules in force and the saved approvals',
        arguments: {},
        options: ['workspace', 'json'],
        examples: [['synapse policy list --json', 'for a program']],
        load: async () => (await import('./commands/policy-list.ts')).policyList,
      },
      {
        name: 'revoke',
        summary: 'take back a saved approval',
        arguments: { '<approval>': 'its number in `synapse policy list`, or a rule that it holds' },
        options: ['workspace', 'json'],
        examples: [
          ['synapse policy revoke 2', 'the second one'],
          ["synapse policy revoke 'run_command(npm test)'", 'every one that holds this rule'],
        ],
        load: async () => (await import('./commands/policy-revoke.ts')).policyRevoke,
      },
    ],
  },
  {
    name: 'undo',
    summary: 'take back what calls changed',
    details:
      'Without a call, the last one that changed something and was not undone. Shows what it will do, and asks; --yes answers.\n' +
      'All of it happens or nothing; a file that was changed since is a conflict, and nothing is undone. Of commands, those are covered that ran with --undoable or after a try.',
    arguments: { '[call]': 'the id of one call, as `synapse log` shows it; also of an undo' },
    options: ['workspace', 'session', 'last', 'yes', 'json', 'allow'],
    examples: [
      ['synapse undo', 'the last call that changed something'],
      ['synapse undo --last 3 --yes', 'the last three, without being asked'],
      ['synapse undo --session 5f1c', 'all that a session changed'],
    ],
    load: async () => (await import('./commands/undo.ts')).undo,
  },
  {
    name: 'changes',
    summary: 'show what calls changed, as diffs',
    details: 'Summed up by file: what came and went again does not show. Of commands, those are covered that ran with --undoable or after a try.',
    arguments: { '[call]': 'the id of one call (default: all that can be undone)' },
    options: ['workspace', 'session', 'json'],
    examples: [
      ['synapse changes', 'everything that was not undone'],
      ['synapse changes --session 5f1c', 'of one session'],
    ],
    load: async () => (await import('./commands/changes.ts')).changes,
  },
  {
    name: 'projects',
    summary: 'list the folders that hands may be opened on',
    details: 'Only tracked projects can be accessed. Naming a folder with --workspace tracks it as well.',
    arguments: {},
    options: ['json'],
    examples: [['synapse projects', 'all of them']],
    load: async () => (await import('./commands/projects-list.ts')).projectsList,
    commands: [
      {
        name: 'add',
        summary: 'track a folder',
        arguments: PROJECT,
        options: ['json'],
        examples: [['synapse projects add ~/project', 'from now on hands may be opened there']],
        load: async () => (await import('./commands/projects-edit.ts')).projectsAdd,
      },
      {
        name: 'list',
        summary: 'list the tracked folders',
        arguments: {},
        options: ['json'],
        examples: [['synapse projects list --json', 'for a program']],
        load: async () => (await import('./commands/projects-list.ts')).projectsList,
      },
      {
        name: 'remove',
        summary: 'track a folder no longer',
        details: 'Its files and its records stay as they are.',
        arguments: PROJECT,
        options: ['json'],
        examples: [['synapse projects remove ~/project', 'hands are not opened there any more']],
        load: async () => (await import('./commands/projects-edit.ts')).projectsRemove,
      },
      {
        name: 'trust',
        summary: "let a project's own configuration permit something, not only forbid",
        arguments: PROJECT,
        options: ['json'],
        examples: [['synapse projects trust', 'the current folder']],
        load: async () => (await import('./commands/projects-edit.ts')).projectsTrust,
      },
      {
        name: 'show',
        summary: 'show a project and what was tried there that should not be',
        arguments: PROJECT,
        options: ['json', 'limit'],
        examples: [['synapse projects show', 'the current folder']],
        load: async () => (await import('./commands/projects-show.ts')).projectsShow,
      },
    ],
  },
  {
    name: 'doctor',
    summary: 'check what works on this machine',
    arguments: {},
    options: ['json'],
    examples: [['synapse doctor', 'and what to do about what does not']],
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
];
