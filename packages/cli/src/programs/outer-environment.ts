import { pathOutside } from '@synapse/hands/internal';
import { realpathSync } from 'node:fs';

/** The real path of the current folder; undefined if that was removed. Then there is no project. */
function currentProject(): string | undefined {
  try {
    return realpathSync(process.cwd());
  } catch {
    return undefined;
  }
}

/**
 * The environment for a program of the system. Its PATH lacks folders of the current project, which `npx` and virtual
 * environments add: a project could put a program of the same name there.
 *
 * @param project the real path of the project. Default: the current folder
 */
export function outerEnvironment(project = currentProject()): NodeJS.ProcessEnv {
  if (process.platform === 'win32' || project === undefined) return process.env;
  return { ...process.env, PATH: pathOutside(process.env['PATH'] ?? '', project) };
}
