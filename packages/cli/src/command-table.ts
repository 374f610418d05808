import type { CommandDefinition, CommandOptions } from './command.ts';

/** What the server of `synapse mcp` can be told. */
export const SERVER_OPTIONS = [
  'workspace',
  'dialect',
  'allow',
  'readable',
  'sandbox',
  'network',
  'tools',
  'maxOutput',
  'undoable',
  'mcp',
] as const satisfies ReadonlyArray<keyof CommandOptions>;

const PROJECT = { '[dir]': 'the project (default: the current folder)' };

/** Where a yes answers one question, and grants nothing else. */
const ANSWERS = { yes: 'answer yes to the question: do it without asking' };

/** The commands, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'call',
    summary: 'run one tool',
    details:
      'The body of the answer goes to stdout, files and what commands print to the byte; notes, progress and errors go to stderr.\n' +
      'Exit codes: 0 ok, 1 the tool or the command failed, 2 usage, 3 denied, 4 needs approval, 5 not found, 70 internal, 124 time-out, 130 and 143 interrupted.',
    arguments: { '<tool>': 'its name, as `synapse tools` lists it', '[input]': 'its arguments as a JSON object, or - to read that from stdin' },
    options: ['workspace', 'dialect', 'json', 'yes', 'allow', 'readable', 'sandbox', 'network', 'maxOutput', 'dryRun', 'undoable'],
    examples: [
      [`synapse call read_file '{"path":"README.md"}'`, 'print a file'],
      [`synapse call run_command '{"command":"npm test"}' --yes`, 'run a command, which needs a yes'],
      [`synapse call mcp:github:search_issues '{"query":"crash"}'`, 'a tool of an MCP server'],
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
    options: ['workspace', 'dialect', 'format', 'mcp', 'json'],
    examples: [
      ['synapse tools --mcp', 'with those of the MCP servers that are configured here'],
      ['synapse tools --json', 'names, descriptions and schemas for a program'],
      ['synapse tools --format anthropic', 'the list that a request to a provider has'],
    ],
    load: async () => (await import('./commands/tools.ts')).tools,
  },
  {
    name: 'mcp',
    summary: 'serve the tools to MCP clients, over stdio or HTTP',
    details:
      'Reading is allowed; changing files and running commands with --allow, or where the client can ask its person (elicitation).\n' +
      'Over HTTP every request needs the bearer token of the token file, and the URL is printed on stdout.',
    arguments: {},
    options: [...SERVER_OPTIONS, 'http', 'host', 'port', 'tokenFile', 'allowOrigin'],
    examples: [
      ['synapse mcp --workspace ~/project', 'reading only'],
      ['synapse mcp --allow write,exec', 'changing files and running commands as well'],
      ['synapse mcp --tools read_file,search_text', 'two tools only'],
      ['synapse mcp --tools read-only', 'what changes nothing: no file and no command'],
      ['synapse mcp --mcp --tools all', 'with the tools of your other MCP servers, under the same rules and records'],
      ['synapse mcp --http', 'http://127.0.0.1:7411/mcp, for programs of this machine'],
    ],
    load: async () => (await import('./commands/mcp.ts')).mcp,
    commands: [
      {
        name: 'install',
        summary: "write the server into an MCP client's configuration",
        details:
          "Shows the change to the client's file and asks; --yes answers. Comments, other servers and layout stay as they are.\n" +
          'The client starts the server with the options given here. --workspace is the project, or for --user the folder to serve.',
        arguments: {},
        options: ['client', 'project', 'user', 'undo', 'yes', 'json', ...SERVER_OPTIONS],
        wording: { ...ANSWERS, workspace: 'the project (default: the current folder); with --user, the folder to serve' },
        examples: [
          ['synapse mcp install --client claude-code', 'in .mcp.json of the current folder'],
          ['synapse mcp install --client codex --user --allow write,exec', 'for all projects, in ~/.codex/config.toml'],
          ['synapse mcp install --client claude-desktop -w ~/project', 'a client that knows no projects'],
          ['synapse mcp install --client claude-code --undo', 'take it out again'],
        ],
        load: async () => (await import('./commands/mcp-install.ts')).mcpInstall,
      },
      {
        name: 'list',
        summary: 'list the MCP servers whose tools hands can use, and connect each to see how it stands',
        details:
          'Servers are named in ~/.config/synapse/config.jsonc ("mcp": { "servers": … }) and, once the folder is trusted, in .synapse/config.jsonc,\n' +
          '.mcp.json and .vscode/mcp.json of the project. Exit code 0 whatever their state is.',
        arguments: {},
        options: ['workspace', 'json'],
        examples: [['synapse mcp list', 'state, transport, tools and latency of each']],
        load: async () => (await import('./commands/mcp-list.ts')).mcpList,
      },
      {
        name: 'test',
        summary: 'connect an MCP server, and show its tools and what is wrong',
        details: 'Exit code 1 where one cannot be used, or holds back tools that nobody has let in.',
        arguments: { '[server]': 'its name, as `synapse mcp list` shows it (default: all)' },
        options: ['workspace', 'json'],
        examples: [
          ['synapse mcp test github', 'one server, in detail'],
          ['synapse mcp test --json', 'all of them, for a program'],
        ],
        load: async () => (await import('./commands/mcp-test.ts')).mcpTest,
      },
      {
        name: 'approve',
        summary: 'let in what an MCP server has changed since it was let in',
        details:
          'Its tools are pinned when it is first connected: one that is new, or whose description or arguments have changed, is not used until a person\n' +
          'has seen the difference. So is a server that is new or changed in the files of a trusted folder. Asks; --yes answers.',
        arguments: { '<server>': 'its name, as `synapse mcp list` shows it' },
        options: ['workspace', 'yes', 'json'],
        wording: ANSWERS,
        examples: [['synapse mcp approve github', 'see what is new, and say yes or no']],
        load: async () => (await import('./commands/mcp-approve.ts')).mcpApprove,
      },
    ],
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
    wording: ANSWERS,
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
    name: 'quarantine',
    summary: 'list what was taken away after commands',
    details:
      'What a command in the sandbox leaves for git, agents, editors and shells to execute is taken out of the workspace and kept for 90 days.\n' +
      'Look at it where it lies now before you put it back.',
    arguments: {},
    options: ['workspace', 'json'],
    examples: [['synapse quarantine', 'what, when, why, and where it lies now']],
    load: async () => (await import('./commands/quarantine-list.ts')).quarantineList,
    commands: [
      {
        name: 'restore',
        summary: 'put something back where it was',
        details: 'Asks; --yes answers. Nothing is written over.',
        arguments: { '<id>': 'as `synapse quarantine` shows it' },
        options: ['workspace', 'yes', 'json'],
        wording: ANSWERS,
        examples: [['synapse quarantine restore 1f0c2a9b3d', 'after a look at it']],
        load: async () => (await import('./commands/quarantine-edit.ts')).quarantineRestore,
      },
      {
        name: 'discard',
        summary: 'delete something for good',
        details: 'Asks; --yes answers.',
        arguments: { '<id>': 'as `synapse quarantine` shows it' },
        options: ['workspace', 'yes', 'json'],
        wording: ANSWERS,
        examples: [['synapse quarantine discard 1f0c2a9b3d', 'nobody wants it back']],
        load: async () => (await import('./commands/quarantine-edit.ts')).quarantineDiscard,
      },
      {
        name: 'unlock',
        summary: 'let commands run again',
        details:
          'Commands are locked where not everything that one left could be looked at. Look at what it names first: a git command there may run a program. Asks; --yes answers.',
        arguments: {},
        options: ['workspace', 'yes', 'json'],
        wording: ANSWERS,
        examples: [['synapse quarantine unlock', 'after a look at the place that it names']],
        load: async () => (await import('./commands/quarantine-unlock.ts')).quarantineUnlock,
      },
    ],
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
        summary: "let a project's own configuration permit something, not only forbid, and start MCP servers",
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
