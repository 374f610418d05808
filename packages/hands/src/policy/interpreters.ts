import { programFamily } from './program-name.ts';
import { sameCommands } from './same-commands.ts';
import { unwrap } from './wrappers.ts';

const CODE = 'runs any code that its arguments hold';
const SHELL = 'runs any command that its arguments hold';
const REMOTE = 'runs commands on another machine or in a container';
const FETCH = 'downloads and runs any package';
const LATER = 'makes a program run later, out of sight';
const ROOT = 'runs any command with more power';

/**
 * Commands that run whatever they are given. A rule with a wildcard after one would allow everything, so
 * no such rule is loaded; the whole command, written out, can be allowed.
 */
const INTERPRETERS: ReadonlyArray<readonly [reason: string, ...commands: string[]]> = [
  [SHELL, 'sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'pwsh', 'powershell', 'cmd', 'eval', 'source', '.', 'trap'],
  [SHELL, 'env', 'command', 'builtin', 'exec', 'nohup', 'time', 'timeout', 'nice', 'ionice', 'stdbuf', 'setsid', 'xargs', 'parallel'],
  [
    SHELL,
    'rbash',
    'yash',
    'nu',
    'elvish',
    'xonsh',
    'fakeroot',
    'setarch',
    'linux',
    'i386',
    'x86_64',
    'prlimit',
    'numactl',
    'choom',
    'caffeinate',
    'xvfb-run',
  ],
  [SHELL, 'dbus-run-session', 'systemd-inhibit', 'valgrind', 'torsocks', 'proxychains', 'tini', 'dumb-init', 'eatmydata', 'faketime', 'rlwrap'],
  [
    SHELL,
    'git submodule foreach',
    'git bisect run',
    'nsenter',
    'chroot',
    'unshare',
    'bwrap',
    'firejail',
    'chronic',
    'ssh-agent',
    'start-stop-daemon',
    'hyperfine',
    'cross-env',
    'direnv',
    'concurrently',
    'nodemon',
    'corepack',
    'rustup run',
    'mise exec',
  ],
  [SHELL, 'watch', 'flock', 'script', 'expect', 'strace', 'ltrace', 'unbuffer', 'busybox', 'toybox', 'chrt', 'taskset', 'entr', 'alias'],
  [CODE, 'python', 'pypy', 'ipython', 'node', 'nodejs', 'deno', 'tsx', 'ts-node', 'ruby', 'irb', 'perl', 'php', 'lua', 'luajit', 'tclsh', 'wish'],
  [CODE, 'r', 'rscript', 'julia', 'java', 'jshell', 'groovy', 'scala', 'kotlin', 'ghci', 'runghc', 'elixir', 'iex', 'erl', 'osascript', 'guile'],
  [CODE, 'awk', 'gawk', 'mawk', 'nawk', 'sqlite', 'psql', 'mysql', 'gdb', 'lldb', 'vim', 'vi', 'nvim', 'ex', 'view', 'emacs', 'ed', 'bc'],
  [CODE, 'go run', 'go generate', 'go tool', 'bun run', 'bun x', 'bun -e', 'swift', 'make', 'gmake', 'rake', 'man', 'less', 'more', 'dc'],
  [CODE, 'git -c', 'git config', 'git filter-branch', 'git difftool', 'git mergetool', 'git send-email'],
  [FETCH, 'npx', 'bunx', 'pnpx', 'uvx', 'pipx', 'npm exec', 'npm x', 'npm init', 'npm create', 'pnpm dlx', 'pnpm exec', 'pnpm create'],
  [FETCH, 'yarn dlx', 'yarn exec', 'yarn create', 'uv run', 'uv tool', 'poetry run', 'pipenv run', 'conda run', 'bundle exec', 'cargo install'],
  [REMOTE, 'ssh', 'mosh', 'docker run', 'docker exec', 'docker compose', 'docker build', 'podman', 'nerdctl', 'kubectl', 'oc', 'vagrant', 'lxc'],
  [REMOTE, 'systemd-nspawn', 'ansible', 'rsync', 'nc', 'ncat', 'netcat', 'socat'],
  [LATER, 'at', 'batch', 'crontab', 'systemd-run', 'systemctl', 'launchctl', 'tmux', 'screen', 'disown'],
  [ROOT, 'sudo', 'doas', 'su', 'runuser', 'pkexec', 'gosu', 'setpriv', 'capsh'],
];

const COMMANDS: ReadonlyMap<string, ReadonlyArray<{ words: readonly string[]; reason: string }>> = Map.groupBy(
  INTERPRETERS.flatMap(([reason, ...commands]) => commands.map((command) => ({ words: command.split(' '), reason }))),
  // As it is looked up: the number of i386 is no version.
  ({ words }) => programFamily(words[0] ?? ''),
);

/** Whether a command hands its arguments or its input to an interpreter, and why that matters. */
export function interpreterReason(words: ReadonlyArray<string | undefined>): string | undefined {
  const rows = COMMANDS.get(programFamily(words[0] ?? ''));
  const names = rows === undefined ? [] : [words, ...sameCommands(words)];
  return rows?.find((row) => names.some((name) => row.words.slice(1).every((word, index) => name[index + 1] === word)))?.reason;
}

/**
 * Whether a command runs the one that its arguments are, or hold, on this machine. Code in a language of its own is none:
 * its words only look like commands.
 */
export function isLauncher(words: ReadonlyArray<string | undefined>): boolean {
  const reason = interpreterReason(words);
  return reason !== undefined && reason !== CODE && reason !== REMOTE;
}

/** Why a pattern that goes on with anything after these words can not be an allow rule, if so. */
export function openEndedReason(literalWords: readonly string[]): string | undefined {
  const inner = unwrap(literalWords);
  if (inner?.words !== undefined && inner.words.length > 0 && inner.reasons.length === 0) return openEndedReason(inner.words);
  const rows = COMMANDS.get(programFamily(literalWords[0] ?? ''));
  const second = literalWords[1] ?? '';
  if (second.startsWith('-') && rows !== undefined) return `"${literalWords[0]} ${second}" can be followed by any of its commands`;
  // `git *` covers `git config`, so it is refused for what that one does.
  const names = rows === undefined ? [] : [literalWords, ...sameCommands(literalWords)];
  const row = rows?.find(({ words }) =>
    names.some((name) => words.slice(1, Math.min(words.length, name.length)).every((word, index) => name[index + 1] === word)),
  );
  return row === undefined ? undefined : `"${row.words.join(' ')}" ${row.reason}`;
}
