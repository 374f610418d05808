import { DEFAULT_PATH } from './path-outside.ts';

/** A variable that started processes may inherit, and why. */
interface AllowedVariable {
  readonly name: string | RegExp;
  readonly reason: string;
  /** Checks the value, if not every value is harmless. */
  readonly accept?: (value: string) => boolean;
}

/** A proxy URL often contains a password: `http://user:password@proxy`. */
const withoutCredentials = (value: string): boolean => !value.includes('@');

/**
 * Variables that processes inherit. All others are withheld: API keys, tokens, agent sockets, and variables that
 * make programs load code (NODE_OPTIONS, LD_PRELOAD, BASH_ENV, PYTHONSTARTUP, GIT_*).
 */
const ALLOWED: readonly AllowedVariable[] = [
  { name: 'PATH', reason: 'finds programs; relative entries are taken out' },
  { name: /^(?:HOME|USER|LOGNAME|SHELL)$/u, reason: 'who the user is, for configuration files' },
  { name: /^(?:LANG|LANGUAGE|LC_[A-Z]+)$/u, reason: 'encoding and language of output' },
  { name: 'TZ', reason: 'the same clock as the user' },
  { name: /^(?:TMPDIR|TEMP|TMP)$/u, reason: 'where temporary files may go' },
  { name: /^XDG_(?:CONFIG|CACHE|DATA|STATE)_HOME$/u, reason: 'where programs keep their files; XDG_RUNTIME_DIR would lead to D-Bus' },
  {
    name: /^(?:JAVA_HOME|GOROOT|GOPATH|GOFLAGS|CARGO_HOME|RUSTUP_HOME|NVM_DIR|PYENV_ROOT|VIRTUAL_ENV|CONDA_PREFIX|DOTNET_ROOT|ANDROID_HOME|SDKROOT)$/u,
    reason: 'where tool chains are; without them builds fail',
  },
  {
    name: /^(?:SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/u,
    reason: 'certificates of a company network; paths only',
  },
  { name: /^(?:https?|all)_proxy$/iu, reason: 'the only way out of some networks', accept: withoutCredentials },
  { name: /^no_proxy$/iu, reason: 'belongs to the proxies' },
];

/**
 * Package managers print after their work that they have a new version, and what only shows the end of an output shows just that.
 * Each variable is of one program: what several read, such as `NO_UPDATE_NOTIFIER`, changes the tests of some projects.
 */
const NO_UPDATE_NOTICES: Readonly<Record<string, string>> = {
  // npm, and pnpm before version 11.
  npm_config_update_notifier: 'false',
  pnpm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  BUNDLE_DISABLE_VERSION_CHECK: 'true',
};

/**
 * Variables that prevent prompts and terminal effects. `CI` is not among them: it makes package managers freeze their lock files
 * and some builds fail on warnings. Nor are `NO_COLOR` and `FORCE_COLOR`: tests of colors fail with them. Output to a pipe
 * seldom has colors, and what a model reads has none.
 */
const FIXED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  // Test runners print less for an agent.
  AI_AGENT: 'synapse',
  ...NO_UPDATE_NOTICES,
  PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  // Python buffers output to a pipe: it would arrive late, out of order, or be lost in a time-out.
  PYTHONUNBUFFERED: '1',
};

/** Removes empty and relative entries from PATH. They mean the working directory, where a repository could put its own `git`. */
function absolutePath(path: string): string {
  const entries = path.split(':').filter((entry) => entry.startsWith('/'));
  return entries.length === 0 ? DEFAULT_PATH : entries.join(':');
}

function isAllowed(name: string, value: string): boolean {
  return ALLOWED.some((row) => (typeof row.name === 'string' ? row.name === name : row.name.test(name)) && row.accept?.(value) !== false);
}

/**
 * Builds the variables of a new process from an allow-list.
 *
 * @param parent the variables of this process
 * @param extra additions from the options of the hands; they may override
 */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && isAllowed(name, value)) result[name] = value;
  }
  return { ...result, ...FIXED, PATH: absolutePath(parent['PATH'] ?? ''), ...extra };
}
