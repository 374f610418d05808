import { openSingleFile, type SingleFile } from '@synapse/hands/internal';
import { readAddress } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import type { Output } from '../output/output.ts';
import { servicePlace, type ServicePlace } from './service-place.ts';
import { outerEnvironment } from '../programs/outer-environment.ts';

/** Environment variables with paths of this machine. Others are not stored: they could be secret. */
const PLACES = ['PATH', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'];

export const placeVariables = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(PLACES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));

/**
 * The service of a session.
 *
 * @throws SynapseError `invalid_arguments` for an invalid session name
 */
export function placeFor(session: string | undefined): ServicePlace {
  if (session === undefined) {
    throw new SynapseError('invalid_arguments', 'No session named.', { hint: 'Add --name, as in synapse service install --name laptop' });
  }
  // A session name is a safe file name.
  const name = readAddress('ws://127.0.0.1', session).session;
  const { platform, env, getuid } = process;
  return servicePlace({ platform, home: homedir(), configHome: env['XDG_CONFIG_HOME'], uid: getuid?.() ?? 0 }, name);
}

export const openServiceFile = ({ file }: ServicePlace): Promise<SingleFile> => openSingleFile(file);

/** A URL to store in a file. @throws SynapseError `invalid_arguments` if part of it may be secret */
export function openUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { username, password, search } = new URL(url);
  if (username === '' && password === '' && search === '') return url;
  throw new SynapseError('invalid_arguments', 'The URL has a part that may be secret, and the file of a service can be read by others.', {
    hint: 'Leave out user, password and query. A relay needs none: machines are enrolled with synapse relay invite.',
  });
}

/** Runs the commands of a service manager in order. Prints the first one that fails; returns whether all succeeded. */
export async function manage(commands: ServicePlace['start'], err: Output): Promise<boolean> {
  for (const [program = '', ...words] of commands) {
    const child = spawn(program, words, { env: outerEnvironment(), stdio: ['ignore', 'ignore', 'inherit'] });
    const code = await once(child, 'exit').then(
      ([exit]: unknown[]) => exit,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (code === 0) continue;
    err.write(`It did not work (${String(code)}): ${[program, ...words].join(' ')}\n`, 'yellow');
    return false;
  }
  return true;
}
