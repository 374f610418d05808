// The layers of each package, from top to bottom. test/layers checks the imports against this list; docs/architecture.md shows it.

/** A folder or file directly in a package's `src`, and its purpose. */
export type Entry = readonly [name: string, about: string];

/** A package and its layers from top to bottom. An entry may import only from lower layers. */
export interface Package {
  readonly name: string;
  readonly about: string;
  readonly layers: ReadonlyArray<readonly Entry[]>;
}

/** Packages from top to bottom, with packages of the same layer in one list. */
export const PACKAGE_LAYERS: ReadonlyArray<readonly Package[]> = [
  [
    {
      name: 'cli',
      about: 'the command line',
      layers: [
        [['main.ts', 'runs a command line in this process']],
        [
          ['commands', 'one file per command, and their list'],
          ['program.ts', 'finds and runs a command'],
          ['interruption.ts', 'signals'],
        ],
        [
          ['acp', 'sessions of editors'],
          ['chat', 'conversations at the terminal'],
          ['attempts', 'several attempts at one task, of which one is applied'],
          ['replay', 'recorded sessions, run again'],
        ],
        [
          ['agent', 'sessions of models'],
          ['permissions', 'offers rules and writes them'],
        ],
        [['remote', 'calls to other machines']],
        [
          ['approval', 'questions at the terminal'],
          ['mcp', 'what the MCP server offers'],
          ['input', 'user input: arguments, times, confirmations'],
          ['completion', 'completion of command lines in shells'],
          ['screen', 'a terminal on which a model works'],
          ['report', 'shows a report'],
        ],
        [['command', 'the definition of commands: options, parsing, help']],
        [
          ['branch', 'work in a branch'],
          ['receipts', 'receipts of a commit'],
          ['blame', 'who wrote the lines of commits'],
        ],
        [
          ['markdown', 'Markdown as lines of a terminal'],
          ['hands', 'opens hands from options'],
          ['install', "entries in MCP clients' configurations"],
          ['init', 'the commands of a project'],
          ['doctor', 'checks of this machine'],
          ['service', 'services of the system'],
        ],
        [
          ['output', 'stdout, stderr, JSON, columns, errors, exit codes'],
          ['programs', 'programs of the system, such as the browser'],
        ],
      ],
    },
  ],
  [
    {
      name: 'console',
      about: 'the web console',
      layers: [
        [['index.ts', 'what the package exports']],
        [['http', 'serves the page to one user']],
        [['wire', 'the messages of one page']],
        [['methods', 'requests of a page']],
        [['project', 'an open project']],
        [['runs', 'sessions of models']],
        [
          ['approvals', 'pending questions'],
          ['calls', 'calls and their output'],
          ['page', 'the page itself'],
        ],
      ],
    },
  ],
  [
    {
      name: 'mcp-server',
      about: 'hands as an MCP server, over stdio and HTTP',
      layers: [
        [['index.ts', 'what the package exports']],
        [['run-mcp-server.ts', 'serves over stdio or HTTP']],
        [
          ['serve-hands.ts', 'over streams'],
          ['http', 'over HTTP'],
          ['assert-offer.ts', 'which options are refused'],
        ],
        [['open-service.ts', 'one client: its tools, prompts and resources']],
        [
          ['served-tools.ts', 'which tools it gets'],
          ['open-folders.ts', 'which folder it works in'],
        ],
        [['mcp-offer.ts', 'what is offered']],
        [['context', 'prompts and resources, own and from other servers']],
        [['call-tool.ts', 'calls: own tools, a dialect, another machine']],
        [['approval', 'asks the user through the client']],
        [
          ['call-context.ts', 'the caller and its client'],
          ['line-transport.ts', 'messages as lines'],
        ],
        [
          ['content-block.ts', 'blocks of an answer'],
          ['structured-content.ts', 'cut values of an answer'],
          ['output-schema.ts', 'schemas of structured values'],
          ['progress-updates.ts', 'progress'],
          ['rpc-error.ts', 'errors'],
          ['tool-presets.ts', 'named lists of tools'],
          ['started-calls.ts', 'running calls'],
          ['parse-message.ts', 'messages: which need no SDK, and their ids, each used once'],
        ],
      ],
    },
    {
      name: 'brain',
      about: 'prompts, the agent loop, protocols, Project Resurrection',
      layers: [
        [['index.ts', 'what the package exports']],
        [['replay', 'recorded calls, run again and compared']],
        [
          ['sessions', 'saved sessions'],
          ['offline', 'protocols without a model'],
        ],
        [
          ['agent', 'the loop of model and tools'],
          ['prompt', 'system prompts'],
          ['resurrect', 'Project Resurrection'],
        ],
        [
          ['protocols', 'procedures of several steps'],
          ['report', 'reports with sources'],
        ],
        [
          ['models', 'providers of models'],
          ['prompt-files', 'prompts in files'],
          ['parse-yaml.ts', 'YAML'],
        ],
      ],
    },
    {
      name: 'remote',
      about: 'remote hands: relay, outbox, both ends',
      layers: [
        [['node-brain.ts', '@synapse/remote/brain in Node']],
        [
          ['index.ts', '@synapse/remote'],
          ['brain.ts', '@synapse/remote/brain'],
          ['worker.ts', '@synapse/remote/worker'],
          ['nats.ts', '@synapse/remote/nats'],
        ],
        [
          ['brain', "the agent's end of the connection"],
          ['pairing', 'pairs two machines'],
          ['worker', 'the relay on Cloudflare Workers'],
          ['nats', 'several relays that share NATS'],
        ],
        [
          ['hands', "the machine's end of the connection"],
          ['relay', 'the relay between both'],
        ],
        [['session-url.ts', 'addresses of sessions']],
        [
          ['forward', 'forwarded connections, at both ends'],
          ['keys', 'keys of machines'],
          ['sealed-frames.ts', 'frames, sealed in order'],
          ['send-together.ts', 'sends of one turn, as one'],
          ['session-name.ts', 'names of sessions'],
          ['pace.ts', 'clocks and timers'],
          ['remote-about.ts', 'the description of a machine for a model'],
          ['narrow-json.ts', 'JSON in one byte per character'],
          ['parse-result.ts', 'the two forms of the text of a result'],
          ['text-references.ts', 'texts that are parts of another text'],
          ['text-slice.ts', 'parts of long texts'],
        ],
        [['workspace-name.ts', 'names of workspaces']],
      ],
    },
  ],
  [
    {
      name: 'hands',
      about: 'the library: a workspace, a pipeline and the tools',
      layers: [
        [
          ['index.ts', '@synapse/hands'],
          ['tools.ts', '@synapse/hands/tools'],
          ['providers.ts', '@synapse/hands/providers'],
          ['dialects.ts', '@synapse/hands/dialects'],
          ['policy.ts', '@synapse/hands/policy'],
          ['mcp.ts', '@synapse/hands/mcp'],
          ['testing.ts', '@synapse/hands/testing'],
          ['internal.ts', 'further exports for our own packages'],
        ],
        [['runtime', 'createHands, the composition root']],
        [
          ['dialects', 'the tools under the names of other systems'],
          ['branch-hands', 'calls to hands in the process of a branch'],
        ],
        [
          ['pipeline', 'the stages of a call'],
          ['projects', 'the list of tracked projects'],
        ],
        [
          ['mcp-client', 'tools of MCP servers'],
          ['tracing', 'OpenTelemetry spans'],
          ['receipt', 'signed proof of what commands did'],
          ['blame', 'who wrote each line'],
          ['past', 'the workspace as it was before or after a call'],
        ],
        [
          ['providers', 'tools in the formats of OpenAI, Anthropic, Gemini and the AI SDK'],
          ['audit', 'the record of calls'],
        ],
        [
          ['tools', 'the tools, one file each'],
          ['call', 'types of a call at each stage'],
        ],
        [
          ['tool', 'the definition of tools, and their context'],
          ['approval', 'approvers and questions'],
          ['branch', 'copies of the workspace that live as long as someone needs them'],
        ],
        [
          ['transaction', 'commands on a copy of the workspace'],
          ['navigation', 'symbols, their places and uses, and renames'],
        ],
        [
          ['git', 'git, confined'],
          ['jobs', 'commands that outlive their call'],
          ['lsp', 'language servers'],
          ['dry-run', 'dry runs of calls'],
        ],
        [
          ['sandbox', 'bubblewrap, seccomp, network, overlay'],
          ['search', 'ripgrep and globs'],
          ['tree', 'content hashes of the workspace'],
          ['web', 'pages'],
          ['patch', 'patches'],
          ['read', 'text and images of files'],
        ],
        [
          ['search-index', 'which files cannot match a search'],
          ['structure', 'patterns of code, in a thread of their own'],
        ],
        [
          ['policy', 'rules and what commands do'],
          ['journal', 'before-images and undo'],
          ['quarantine', 'files quarantined after commands'],
          ['workspace-index', 'detects changes'],
          ['process', 'child processes and their trees'],
          ['edit', 'replacements in texts'],
          ['syntax', 'symbols of code by its syntax'],
          ['program', 'programs of models, in an interpreter of their own'],
          ['output', 'limits of answers, spill files'],
        ],
        [['workspace', 'files by handle, locks, changes']],
        [
          ['secrets', 'secrets that commands use and never see'],
          ['meaning', 'what changes mean, in sentences'],
          ['launch', 'the steps that start a command, and their programs'],
          ['modes', 'the ways to run a command, as a table'],
        ],
        [
          ['danger', 'files that other programs would execute'],
          ['state', 'the state folder and its databases'],
          ['net', 'addresses and networks'],
          ['events', 'listeners'],
          ['text', 'encodings, escapes, suggestions'],
        ],
        [['git-format', "the formats of git's own files"]],
      ],
    },
  ],
  [
    {
      name: 'protocol',
      about: 'results, errors, events and messages; zod only',
      layers: [
        [
          ['index.ts', '@synapse/protocol'],
          ['console.ts', '@synapse/protocol/console'],
          ['zod.ts', '@synapse/protocol/zod'],
        ],
        [
          ['console', 'messages of the web console'],
          ['event.ts', 'events of calls'],
        ],
        [
          ['result.ts', 'results'],
          ['synapse-error.ts', 'the error class'],
          ['remote.ts', '@synapse/protocol/remote'],
        ],
        [['remote', 'remote messages']],
        [
          ['error-codes.ts', 'the closed table of errors'],
          ['permission.ts', 'permissions of a call'],
          ['person-form.ts', 'questions with fields to fill in'],
        ],
      ],
    },
  ],
];

export const LAYERS_START = '<!-- layers: generated by npm run docs from scripts/layers.ts -->';
export const LAYERS_END = '<!-- /layers -->';

function drawn({ name, about, layers }: Package): string[] {
  const width = Math.max(...layers.flat().map(([entry]) => entry.length));
  const shown = (entry: string): string => (entry.endsWith('.ts') ? entry : `${entry}/`);
  const lines = layers.flatMap((entries, index) => [
    ...(index === 0 ? [] : ['  '.padEnd(width + 4, '─')]),
    ...entries.map(([entry, what]) => `  ${shown(entry).padEnd(width + 2)}${what}`),
  ]);
  return [`### \`packages/${name}/src\`: ${about}`, '', '```text', ...lines, '```', ''];
}

/** Formats the list as Markdown: the packages, then the layers of each. */
export function layersMarkdown(): string {
  const packages = PACKAGE_LAYERS.map((layer) => layer.map(({ name }) => name).join('   '));
  return [
    LAYERS_START,
    '',
    '```text',
    ...packages.map((line) => `  ${line}`),
    '```',
    '',
    'A package imports only from packages on lower lines. The same applies inside each package: a folder or file imports only from',
    'entries below the next line. A test checks all imports, and fails for one that leads up and for any cycle.',
    '',
    ...PACKAGE_LAYERS.flat().flatMap(drawn),
    LAYERS_END,
  ].join('\n');
}
