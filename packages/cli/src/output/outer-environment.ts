import { pathOutside } from '@synapse/hands/internal';
import { realpathSync } from 'node:fs';

/**
 * The environment for a program of the system. Its PATH lacks folders of the current project, which `npx` and virtual
 * environments add: a project could put a program of the same name there.
 */
export function outerEnvironment(project = realpathSync(process.cwd())): NodeJS.ProcessEnv {
  return process.platform === 'win32' ? process.env : { ...process.env, PATH: pathOutside(process.env['PATH'] ?? '', project) };
}
