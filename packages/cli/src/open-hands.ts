import {
  createHands,
  defaultStateFolder,
  findDialect,
  GRANTS,
  nearest,
  Projects,
  SANDBOX_CHOICES,
  type Approver,
  type Grant,
  type Hands,
  type Limits,
  type McpOptions,
  type NetworkPolicy,
} from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { Output } from './output.ts';

/** Options about hands; a command declares those that matter to it. */
interface HandsCommandOptions {
  /** Undefined where it is the current folder that nobody named. */
  readonly workspace?: string | undefined;
  readonly allow?: readonly string[];
  readonly yes?: boolean;
  readonly dialect?: string | undefined;
  readonly readable?: readonly string[];
  readonly sandbox?: string | undefined;
  readonly network?: readonly string[] | undefined;
  readonly maxOutput?: number | undefined;
}

/** What `--yes` allows. A file that another program executes takes a word of its own. */
const YES: readonly Grant[] = ['write', 'exec'];

/** Finds a word among those that an option takes; any other is answered with the nearest ones. */
function oneOf<Word extends string>(option: string, word: string, known: readonly Word[]): Word {
  const found = known.find((one) => one === word);
  if (found !== undefined) return found;
  const near = nearest(word, known);
  throw new SynapseError('invalid_arguments', `${option} does not know ${JSON.stringify(word.slice(0, 40))}.`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}It takes ${known.join(', ')}.`,
  });
}

/** `on`, `off`, or else names of hosts. */
export function networkPolicy(words: readonly string[]): NetworkPolicy {
  const [only, ...more] = words;
  return more.length === 0 && (only === 'on' || only === 'off') ? only : { domains: words };
}

/** What the options allow beyond reading. */
export function grants({ allow = [], yes = false }: Pick<HandsCommandOptions, 'allow' | 'yes'>): Set<Grant> {
  return new Set([...allow.map((word) => oneOf('--allow', word, GRANTS)), ...(yes ? YES : [])]);
}

/** One number for all bounds: whoever asks for so many bytes does not want them cut for their lines. */
function limits(bytes: number): Limits {
  return { outputBytes: bytes, outputLines: bytes, lineCharacters: bytes };
}

/** A folder that a person names is a project of theirs from then on; they are told, once. */
function track(workspace: string, err: Output): void {
  using projects = Projects.open(defaultStateFolder());
  if (projects.setAside !== undefined) err.write(`The list of projects was damaged; it was moved to ${projects.setAside}.\n`, 'yellow');
  if (projects.add(workspace))
    err.write(`${projects.get(workspace)?.root ?? workspace} is a tracked project now (synapse projects remove ends that).\n`, 'dim');
}

/** The folders outside whose files may be read: those that are named, else those that the dialect reads by default. */
export function readableFolders({ dialect, readable = [] }: Pick<HandsCommandOptions, 'dialect' | 'readable'>): readonly string[] {
  return readable.length > 0 || dialect === undefined ? readable : (findDialect(dialect).readable ?? []);
}

/**
 * Opens hands on the workspace of the options; on the current folder only where it is tracked.
 *
 * @param approver whom to ask; undefined where there is nobody
 * @param mcp how MCP servers are used; undefined where they are not
 */
export async function openHands(
  { workspace, maxOutput, sandbox, network, ...rest }: HandsCommandOptions,
  err: Output,
  approver?: Approver,
  mcp?: McpOptions,
): Promise<Hands> {
  const allow = grants(rest);
  const readable = readableFolders(rest);
  if (workspace !== undefined) track(workspace, err);
  const hands = await createHands({
    workspace: workspace ?? '.',
    tracked: 'require',
    allow,
    ...(approver === undefined ? {} : { approver }),
    ...(mcp === undefined ? {} : { mcp }),
    readable,
    ...(sandbox === undefined ? {} : { sandbox: oneOf('--sandbox', sandbox, SANDBOX_CHOICES) }),
    ...(network === undefined ? {} : { network: networkPolicy(network) }),
    ...(maxOutput === undefined ? {} : { limits: limits(maxOutput) }),
  });
  for (const problem of hands.policy().problems) err.write(`${problem}\n`, 'yellow');
  return hands;
}
