import { createHands, type Approver, type FileBuffers, type Hands, type Limits, type NetworkPolicy } from '@synapse/hands';
import { findDialect } from '@synapse/hands/dialects';
import { defaultStateFolder, nearest, openRoot, Projects, SANDBOX_CHOICES, windowApprover } from '@synapse/hands/internal';
import { type McpOptions } from '@synapse/hands/mcp';
import { CAPABILITIES, type Capability, type Mode } from '@synapse/hands/policy';
import { SynapseError } from '@synapse/protocol';
import { resolve } from 'node:path';
import { type Asking, confirm } from '../output/confirm.ts';
import type { Output } from '../output/output.ts';
import { inLine } from '../output/visible-text.ts';

/** Options for opening hands; each command declares the ones it supports. */
interface HandsCommandOptions {
  /** Undefined for the current folder. */
  readonly workspace?: string | undefined;
  /** The default folder, which must be tracked already. Default: the current one. */
  readonly folder?: string | undefined;
  readonly allow?: readonly string[];
  readonly yes?: boolean;
  readonly dialect?: string | undefined;
  readonly readable?: readonly string[];
  readonly sandbox?: string | undefined;
  readonly network?: readonly string[] | undefined;
  readonly maxOutput?: number | undefined;
  readonly noEditDiagnostics?: boolean | undefined;
  /** Default: that of the configuration. */
  readonly mode?: Mode | undefined;
  /** Unsaved texts of an editor. Default: none. */
  readonly buffers?: FileBuffers | undefined;
}

/** What `--yes` allows: the call that a person typed it for. Files that other programs execute need an extra permission. */
const YES: readonly Capability[] = ['write', 'exec', 'fetch', 'mcp'];

/** Finds a value among the valid ones. Throws with the nearest matches for any other. */
function oneOf<Word extends string>(option: string, word: string, known: readonly Word[]): Word {
  const found = known.find((one) => one === word);
  if (found !== undefined) return found;
  const near = nearest(word, known);
  throw new SynapseError('invalid_arguments', `${option} does not know ${JSON.stringify(word.slice(0, 40))}.`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}It takes ${known.join(', ')}.`,
  });
}

/** `on`, `off`, `packages`, or host names, which may include `packages`. */
export function networkPolicy(words: readonly string[]): NetworkPolicy {
  const [only, ...more] = words;
  if (more.length === 0 && (only === 'on' || only === 'off' || only === 'packages')) return only;
  const domains = words.filter((word) => word !== 'packages');
  return domains.length === words.length ? { domains } : { domains, packages: true };
}

/** What the options allow in addition to reading. */
export function grants({ allow = [], yes = false }: Pick<HandsCommandOptions, 'allow' | 'yes'>): Set<Capability> {
  return new Set([...allow.map((word) => oneOf('--allow', word, CAPABILITIES)), ...(yes ? YES : [])]);
}

/** One number sets all limits, so that output of this size is not cut by its number of lines. */
function limits(bytes: number): Limits {
  return { outputBytes: bytes, outputLines: bytes, lineCharacters: bytes };
}

/** Tracks a folder that a person named, and prints a line the first time. */
export function track(workspace: string, err: Output): void {
  using projects = Projects.open(defaultStateFolder());
  if (projects.setAside !== undefined) err.write(`The list of projects was damaged; it was moved to ${projects.setAside}.\n`, 'yellow');
  if (projects.add(workspace))
    err.write(`${projects.get(workspace)?.root ?? workspace} is a tracked project now (synapse projects remove ends that).\n`, 'dim');
}

/** Readable folders outside the workspace: the named ones, else the dialect's defaults. */
export function readableFolders({ dialect, readable = [] }: Pick<HandsCommandOptions, 'dialect' | 'readable'>): readonly string[] {
  return readable.length > 0 || dialect === undefined ? readable : (findDialect(dialect).readable ?? []);
}

/** What a command says and asks while it opens a workspace. */
export type OpeningIo = Pick<Asking, 'err'> & Partial<Asking>;

/**
 * Asks whether to work in a current folder that is not tracked. Without a person, opening it says how to add it.
 *
 * @returns the answer; undefined if nothing was asked
 * @throws SynapseError for a folder that cannot be a workspace
 */
export async function offerToTrack(folder: string, { err, stdin, signal, nextLine }: OpeningIo): Promise<boolean | undefined> {
  if (stdin === undefined || signal === undefined) return undefined;
  const stateFolder = defaultStateFolder();
  {
    using projects = Projects.open(stateFolder);
    if (projects.get(folder) !== undefined) return undefined;
  }
  // A folder that cannot be a workspace is refused without a question.
  openRoot(folder, stateFolder).confinement[Symbol.dispose]();
  const answer = await confirm(`${inLine(resolve(folder))} is not tracked yet. Work in it?`, { err, stdin, signal, nextLine });
  if (answer === true) track(folder, err);
  return answer;
}

/**
 * Opens hands for the workspace in the options. A folder that was not named explicitly must be tracked: a person at a terminal is asked.
 *
 * @param io with `stdin` only where it can be asked at: a server's stdin has other uses
 * @param approver undefined if no person can be asked
 * @param mcp how MCP servers are used; undefined for none
 */
export async function openHands(
  { workspace, folder = '.', maxOutput, sandbox, network, mode, noEditDiagnostics, buffers, ...rest }: HandsCommandOptions,
  io: OpeningIo,
  approver?: Approver,
  mcp?: McpOptions,
): Promise<Hands> {
  const { err } = io;
  const allow = grants(rest);
  const readable = readableFolders(rest);
  if (workspace === undefined) await offerToTrack(folder, io);
  else track(workspace, err);
  const hands = await createHands({
    workspace: workspace ?? folder,
    tracked: 'require',
    allow,
    ...(approver === undefined ? {} : { approver }),
    ...(mcp === undefined ? {} : { mcp }),
    readable,
    ...(sandbox === undefined ? {} : { sandbox: oneOf('--sandbox', sandbox, SANDBOX_CHOICES) }),
    ...(network === undefined ? {} : { network: networkPolicy(network) }),
    ...(maxOutput === undefined ? {} : { limits: limits(maxOutput) }),
    ...(mode === undefined ? {} : { policy: { mode } }),
    ...(noEditDiagnostics === true ? { editDiagnostics: false } : {}),
    buffers,
  });
  for (const problem of hands.policy().problems) err.write(`${problem}\n`, 'yellow');
  return hands;
}

/**
 * The person at an open console of this user.
 *
 * @param from the origin that the console shows, such as `synapse mcp`
 * @param root the workspace of the calls
 */
export function consoleApprover(from: string, root: () => string): Approver {
  return windowApprover({ stateFolder: defaultStateFolder(), root, from });
}

/** Opens hands for calls from a client. If the client cannot ask a person, the question goes to an open console. */
export async function openServedHands(options: HandsCommandOptions, io: OpeningIo, from: string, mcp?: McpOptions): Promise<Hands> {
  let hands: Hands | undefined;
  hands = await openHands(
    options,
    io,
    consoleApprover(from, () => hands?.workspace ?? ''),
    mcp,
  );
  return hands;
}
