import type { ProcessRequest } from '../process/processes.ts';

/** Commands that clone: `git clone`, and `git submodule`, which runs it. */
const CLONES = /\b(?:clone|submodule)\b/u;
/** Rewrites a path to a URL: git then copies objects, and the configuration of the clone still contains the path. */
const AS_URL = ['url.file:///.insteadOf', '/'] as const;

/**
 * git clones a local path with hard links, and fails if a link has a different inode than its file. On an overlay, a file gets
 * a different inode with its second name. So commands that clone treat a path like a URL.
 */
export function withClonesByCopy(request: ProcessRequest): ProcessRequest {
  if (!CLONES.test(request.argv.at(-1) ?? '')) return request;
  const { environment = {} } = request;
  const count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  const [key, value] = AS_URL;
  return {
    ...request,
    environment: { ...environment, GIT_CONFIG_COUNT: String(count + 1), [`GIT_CONFIG_KEY_${count}`]: key, [`GIT_CONFIG_VALUE_${count}`]: value },
  };
}
