import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Differs after a change of the files of a person, or of the system, that git reads in every repository. */
export function userSettingsStamp(): string {
  const given = process.env['XDG_CONFIG_HOME'] ?? '';
  const configuration = join(given === '' ? join(homedir(), '.config') : given, 'git');
  const files = [join(homedir(), '.gitconfig'), ...['config', 'ignore', 'attributes'].map((name) => join(configuration, name)), '/etc/gitconfig'];
  return files
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
    })
    .join();
}
