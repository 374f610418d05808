/**
 * Folders of the state folder that a branch shares with its workspace: what people decided, what is found by content, and the locks.
 * Everything else belongs to a branch alone, such as its journal, its audit log, its jobs and the copies of its commands.
 */
export const SHARED_FOLDERS = ['branches', 'cache-layers', 'caches', 'compiled', 'git', 'grants', 'installs', 'locks', 'windows'] as const;

/** Databases of the state folder that a branch shares, as links: next to each are files that SQLite makes. */
export const SHARED_DATABASES = ['projects.db', 'mcp.db'] as const;

/** Where a branch shows the real state folder, in its own. */
export const MAIN_STATE = 'main';

/** Where a branch shows the workspace that it is based on, in its own state folder. */
export const BASE = 'base';
