import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from '../workspace/file-error.ts';
import { xdgFolder } from '../state/state-folder.ts';
import type { PolicyFile } from './load-policy.ts';
import { createScanner } from 'jsonc-parser';

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
]);

/**
 * Whether JSON with comments is nested deeper than a limit. The parser is recursive. A file of a hostile repository
 * is read before the repository is trusted, and must not exhaust the stack.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const token = scanner.getTokenLength() === 1 ? text.charAt(scanner.getTokenOffset()) : '';
    const closer = CLOSERS.get(token);
    if (closer !== undefined) open.push(closer);
    // An unmatched bracket closes nothing; the parser also stays on the same level.
    else if (open.at(-1) === token) open.pop();
    if (open.length > levels) return true;
  }
  return false;
}

/** File names of the configuration; the first that exists is used. */
const NAMES = ['config.jsonc', 'config.json'];
/** The administrator's configuration, which users cannot change. */
const MANAGED_FOLDER = '/etc/synapse';
/** Maximum size of a configuration file, in bytes. A policy has a page or two; a larger file is a mistake or an attack. */
const MAX_BYTES = 256 * 1024;
/** Maximum nesting of braces and brackets. Configurations have only a few levels. */
const MAX_LEVELS = 64;

/** Returns the default folder of the user's configuration: `$XDG_CONFIG_HOME/synapse`, else `~/.config/synapse`. */
export function defaultConfigFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return xdgFolder('XDG_CONFIG_HOME', ['.config'], environment);
}

/** Reads the text of a file; undefined if it is not a regular file. */
function readRegular(path: string): string | undefined {
  // A named pipe, which a repository can contain, must not block the read.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return undefined;
    if (stat.size > MAX_BYTES) throw new SynapseError('too_large', `The configuration ${path} is too large to be one.`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * Reads one configuration file; undefined if it does not exist.
 *
 * @throws SynapseError for a file that exists but cannot be read
 */
export function readConfigurationFile(path: string): string | undefined {
  let text: string | undefined;
  try {
    text = readRegular(path);
  } catch (error) {
    if (error instanceof SynapseError) throw error;
    if (isMissing(path, error)) return undefined;
    throw unreadable(path, error);
  }
  if (text === undefined) throw unreadable(path, undefined, ': it is no regular file');
  if (isNestedDeeper(text, MAX_LEVELS)) throw unreadable(path, undefined, `: it is nested more than ${MAX_LEVELS} levels deep`);
  return text;
}

/** Whether no entry has this name. A dangling link counts as an entry: it is meant to be read. */
function isMissing(path: string, error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOTDIR' || (code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) === undefined);
}

/** Returns the error for an unreadable file. Nothing starts without its rules: an unreadable file is not a missing one. */
function unreadable(path: string, cause: unknown, why = ''): SynapseError {
  return new SynapseError('invalid_arguments', `The configuration ${path} cannot be read${why}.`, {
    hint: 'Make it a readable file, or remove it.',
    cause,
  });
}

function first(folder: string, file: Omit<PolicyFile, 'label' | 'text'>): PolicyFile[] {
  for (const name of NAMES) {
    const label = join(folder, name);
    const text = readConfigurationFile(label);
    if (text !== undefined) return [{ ...file, label, text }];
  }
  return [];
}

/** The folders that configuration is read from. No call may change anything in them. */
interface ConfigurationFolders {
  readonly user: string;
  /** The workspace's real path. */
  readonly project: string;
}

/**
 * Reads every configuration that applies to a workspace.
 *
 * @param isTrusted whether the user trusts the project's folder with this exact configuration, so that it may allow something
 * @throws SynapseError for a file that exists but cannot be read
 */
export function readConfiguration({ user, project }: ConfigurationFolders, isTrusted: (text: string) => boolean): PolicyFile[] {
  return [
    ...first(MANAGED_FOLDER, { layer: 'managed' }),
    ...first(user, { layer: 'user' }),
    // Trust is looked up only if the project has a configuration.
    ...first(join(project, '.synapse'), { layer: 'project' }).map((file) => ({ ...file, trusted: isTrusted(file.text) })),
  ];
}
