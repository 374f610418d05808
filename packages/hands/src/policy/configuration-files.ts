import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from '../workspace/file-error.ts';
import { xdgFolder } from '../workspace/state-folder.ts';
import type { PolicyFile } from './load-policy.ts';
import { isNestedDeeper } from './nesting.ts';

/** Names of the configuration in its folder, in order; the first that is there counts. */
const NAMES = ['config.jsonc', 'config.json'];
/** Where an administrator puts what users cannot change. */
const MANAGED_FOLDER = '/etc/synapse';
/** A policy is a page or two; more is a mistake or an attack. */
const MAX_BYTES = 256 * 1024;
/** Levels of braces and brackets. What is read here has a handful. */
const MAX_LEVELS = 64;

/** Where a user's configuration lives by default: `$XDG_CONFIG_HOME/synapse`, else `~/.config/synapse`. */
export function defaultConfigFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return xdgFolder('XDG_CONFIG_HOME', ['.config'], environment);
}

/** Its text; undefined for what is no regular file. */
function readRegular(path: string): string | undefined {
  // A pipe of this name, which a repository can hold, must neither be waited for nor read.
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
 * Reads one configuration file; undefined where there is none.
 *
 * @throws SynapseError for a file that is there and cannot be read
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

/** Whether there is nothing of this name. A link that leads nowhere is something: whoever made it wants it to be read. */
function isMissing(path: string, error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOTDIR' || (code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) === undefined);
}

/** Without its rules nothing may start: a file that cannot be read is not the same as none. */
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

/** The folders that configuration is read from. No call may ever change what lies in them. */
export interface ConfigurationFolders {
  readonly user: string;
  /** The workspace's real path. */
  readonly project: string;
}

/**
 * Reads every configuration that counts for a workspace.
 *
 * @param isTrusted whether a person trusts the project's folder with its configuration as it is, so that this may permit something
 * @throws SynapseError for a file that is there and cannot be read
 */
export function readConfiguration({ user, project }: ConfigurationFolders, isTrusted: (text: string) => boolean): PolicyFile[] {
  return [
    ...first(MANAGED_FOLDER, { layer: 'managed' }),
    ...first(user, { layer: 'user' }),
    // Who trusts is asked only where there is something to trust.
    ...first(join(project, '.synapse'), { layer: 'project' }).map((file) => ({ ...file, trusted: isTrusted(file.text) })),
  ];
}
