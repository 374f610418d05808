import { CHANGES_FOLDER } from '../effects.ts';
import { gitReader, type GitTable } from '../git-words.ts';
import type { KnownWord } from '../command-pattern.ts';
import type { HeldCommands, Program } from '../program.ts';

const REWRITES = 'rewrites history';
const DROPS_REFS = 'drops branches or tags, and with them commits';
const DROPS_LOG = 'drops the reflog, by which lost commits are found';
const DROPS_OBJECTS = 'deletes commits that no branch names any more';
const DROPS_FILES = 'throws away changes that were not committed';
const FORCES = 'replaces what others see on the server';

/** The command line of git. */
export const GIT: GitTable = {
  globals: {
    valued: '-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source',
    harmless: '--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --version --help',
    places: '-C --git-dir --work-tree',
  },
  codeOptions:
    '--upload-pack --receive-pack --exec --ext-diff --textconv --open-files-in-pager --config --template --separate-git-dir --extcmd --tool',
  codeLetters: { grep: 'O', rebase: 'x', clone: 'uc', 'ls-remote': 'u', difftool: 'x' },
  fileOptions: {
    write: '--output',
    writeTree: '--output-directory',
    read: '--file --pathspec-from-file --exclude-from --contents --ignore-revs-file',
    code: '--index-filter --tree-filter',
  },
  folderOptions: { archive: '-o', 'format-patch': '-o' },
  operands: { rm: 'deleteTree', mv: 'move', clean: 'deleteTree', apply: 'read', grep: 'readTree', init: 'writeTree', restore: 'write' },
  network: 'push pull fetch clone ls-remote remote submodule send-email archive',
  launching: 'config filter-branch difftool mergetool send-email',
  // Free text, which may come from a substitution: `git commit -m "$(…)"`.
  messages: { commit: '-m --message -am', tag: '-m --message', merge: '-m --message', stash: '-m --message' },
  reading:
    'status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev merge-base for-each-ref show-ref ' +
    'show-branch diff-tree diff-index diff-files range-diff cherry whatchanged count-objects check-ignore check-attr check-mailmap check-ref-format ' +
    'grep var version help verify-commit verify-tag patch-id fsck',
  readingActions: {
    stash: ['list', 'show'],
    worktree: ['list'],
    remote: ['', '-v', '--verbose', 'get-url'],
    reflog: ['', 'show', 'exists'],
    // The commands that foreach runs are judged themselves.
    submodule: ['status', 'summary', 'foreach'],
    notes: ['', 'list', 'show'],
    bundle: ['verify', 'list-heads'],
    'sparse-checkout': ['list'],
    config: ['get', 'list', '--get', '--get-all', '--get-regexp', '--list', '-l'],
    bisect: ['log', 'view'],
  },
  listing: {
    subcommands: 'branch tag',
    options: '-a -r -v -vv -i -n -q --all --remotes --verbose --show-current --ignore-case --column --no-column --color --no-color',
    valued: '--sort --format --abbrev',
    filters: '-l --list --contains --no-contains --merged --no-merged --points-at',
  },
};

/** Returns the command of `git submodule foreach`: a shell runs a single word, git runs several words directly. */
function heldByForeach(words: readonly KnownWord[]): HeldCommands {
  const at = words.findIndex((word, index) => word === 'submodule' && words[index + 1] === 'foreach');
  if (at === -1) return {};
  const rest = words.slice(at + 2);
  const start = rest.findIndex((word) => word === undefined || !['-q', '--quiet', '--recursive'].includes(word));
  const command = start === -1 ? [] : rest.slice(start);
  const [first] = command;
  if (first === undefined || first.startsWith('-')) return { unknown: ['git submodule foreach has no command that could be judged'] };
  const held = command.length === 1 ? { texts: [first] } : { commands: [command] };
  return { ...held, unknown: [CHANGES_FOLDER] };
}

/** Git 2.5x. */
export const programs: readonly Program[] = [
  {
    names: 'git',
    aliases: ['add = stage'],
    naming: { words: 2, deeper: 'remote stash submodule worktree bisect' },
    runsIn: { commands: ['submodule foreach', 'bisect run'], code: ['-c', 'config', 'filter-branch', 'difftool', 'mergetool', 'send-email'] },
    read: gitReader(GIT),
    holds: heldByForeach,
    irreversible: {
      push: [
        { says: FORCES, options: '-f --force --force-with-lease --mirror --delete -d --prune', elsewhere: true },
        { says: FORCES, prefix: '+', elsewhere: true },
        { says: FORCES, prefix: ':', elsewhere: true },
      ],
      reset: [{ says: DROPS_FILES, options: '--hard --merge --keep' }],
      clean: [{ says: 'deletes files that git does not know', options: '-f --force' }],
      checkout: [
        { says: DROPS_FILES, options: '-f --force --' },
        { says: DROPS_FILES, actions: '.' },
        { says: DROPS_REFS, options: '-B' },
      ],
      switch: [
        { says: DROPS_FILES, options: '-f --force --discard-changes' },
        { says: DROPS_REFS, options: '-C --force-create' },
      ],
      restore: [{ says: DROPS_FILES }],
      branch: [{ says: DROPS_REFS, options: '-D -d --delete -f --force -M -C' }],
      tag: [{ says: DROPS_REFS, options: '-d --delete -f --force' }],
      'update-ref': [{ says: DROPS_REFS }],
      'symbolic-ref': [{ says: DROPS_REFS, options: '-d --delete' }],
      stash: [{ says: 'drops changes that were stashed', actions: 'drop clear pop' }],
      reflog: [{ says: DROPS_LOG, actions: 'expire delete drop' }],
      gc: [{ says: DROPS_OBJECTS, options: '--prune --aggressive' }],
      prune: [{ says: DROPS_OBJECTS }],
      repack: [{ says: DROPS_OBJECTS, options: '-d -a -A' }],
      'prune-packed': [{ says: DROPS_OBJECTS }],
      rebase: [{ says: REWRITES }],
      'filter-branch': [{ says: REWRITES }],
      'filter-repo': [{ says: REWRITES }],
      replace: [{ says: REWRITES }],
      commit: [{ says: REWRITES, options: '--amend' }],
      worktree: [{ says: DROPS_FILES, actions: 'remove prune' }],
      remote: [{ says: DROPS_REFS, actions: 'prune remove rm' }],
      submodule: [{ says: DROPS_FILES, actions: 'deinit' }],
    },
  },
];
