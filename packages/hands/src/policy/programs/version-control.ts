import type { Program } from '../program.ts';

/** Mercurial 6, Subversion 1.14, and the command-line clients of GitHub and GitLab. */
export const programs: readonly Program[] = [
  {
    names: 'hg',
    aliases: ['commit = ci', 'update = up = co = checkout', 'remove = rm', 'rename = mv = move', 'import = patch'],
    abbreviates: 'add addremove backout bookmarks branch clone copy forget graft merge pull push recover revert rollback serve tag',
  },
  {
    names: 'svn',
    aliases: [
      'commit = ci',
      'checkout = co',
      'delete = del = remove = rm',
      'move = mv = rename = ren',
      'switch = sw',
      'update = up',
      'copy = cp',
      'propset = pset = ps',
    ],
  },
  { names: 'gh', codeOptions: '--editor', naming: { words: 2, deeper: 'pr issue run repo' } },
  { names: 'glab', naming: 2 },
];
