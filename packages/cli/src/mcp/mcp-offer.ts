import { defaultStateFolder, type Hands } from '@synapse/hands';
import { auditResources, spillResources, type McpOffer, type McpPrompt, type McpResource } from '@synapse/mcp-server';
import type { CommandIo } from '../command/command.ts';

/** The tools that Project Resurrection looks with: its report shows nothing that they would not. */
const REPORT_USES = ['list_directory', 'find_files', 'search_text', 'read_file', 'git_status', 'git_diff', 'git_log'];

/** The report on a project, made each time it is read: it is never older than the reading. */
function reportResource(hands: Hands): McpResource {
  return {
    uri: 'synapse://reports/project-resurrection',
    name: 'project-resurrection-report',
    title: 'Project Resurrection report',
    description: 'Where this project stands and what to do next, made at the moment of reading without a model. Markdown with YAML front matter.',
    mimeType: 'text/markdown',
    uses: REPORT_USES,
    async read({ uri, sessionId, signal }) {
      const { resurrect } = await import('@synapse/brain');
      const { report } = await resurrect(hands, { sessionId, signal });
      return [{ uri, mimeType: 'text/markdown', text: report }];
    },
  };
}

/** The built-in protocols as prompts. Loaded when a client first asks: a start is not to wait for them. */
async function protocolPrompts(): Promise<McpPrompt[]> {
  const { PROJECT_RESURRECTION, protocolPrompt } = await import('@synapse/brain');
  return [PROJECT_RESURRECTION].map((protocol) => ({
    name: protocol.id,
    title: protocol.title,
    description: protocol.description,
    arguments: [],
    get: () => [{ role: 'user', content: { type: 'text', text: protocolPrompt(protocol) } }],
  }));
}

interface Offering extends Pick<CommandIo, 'version' | 'err'> {
  readonly options: { readonly tools: readonly string[] | undefined; readonly dialect: string | undefined };
}

/** What `synapse mcp` serves, over whatever wire. */
export function mcpOffer(hands: Hands, { options, version, err }: Offering): McpOffer {
  return {
    hands,
    name: 'synapse',
    version,
    prompts: protocolPrompts,
    resources: [
      ...auditResources({ stateFolder: defaultStateFolder(), workspace: hands.workspace }),
      ...spillResources(hands),
      reportResource(hands),
    ],
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
    onError: (error) => {
      // Answered on the wire already; stderr is the client's log.
      if (process.env['SYNAPSE_DEBUG'] !== undefined) err.write(`${error.stack ?? error.message}\n`);
    },
  };
}
