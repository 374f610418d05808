import { defaultConfigFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { mkdirSync, realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

/**
 * The folder for keys and grants.
 *
 * @throws SynapseError `denied` if tools in the workspace could read it
 */
export function remoteFolder(workspace?: string): string {
  const folder = defaultConfigFolder();
  if (workspace === undefined) return folder;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const way = relative(workspace, realpathSync(folder));
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way) return folder;
  throw new SynapseError('denied', 'The keys of this device are in the workspace, where every tool could read them.', {
    hint: 'Serve a folder that does not hold them, or set XDG_CONFIG_HOME to a folder elsewhere.',
  });
}
