import { dirname, resolve } from 'node:path';
import { isWithin } from '../workspace/workspace-path.ts';
import { explainMasks, type MaskedPlace, TELLABLE } from './explain-masks.ts';
import type { RefusedHost } from './network/refused-hosts.ts';
import { namesOtherMachine } from './run-counts.ts';

/** The facts about an ended command that show whether the sandbox caused its failure. */
export interface FailureFacts {
  readonly argv: readonly string[];
  /** The beginning and the end of its output. */
  readonly said: string;
  readonly failed: boolean;
  /** Which other hosts it could reach: none, some or all. */
  readonly network: 'off' | 'some' | 'on';
  /** Whether it had namespaces: a loopback and a `/tmp` of its own, and hosts by name. Default: it had. */
  readonly hasNamespaces?: boolean;
  /** How many times the network refused it; 0 if that was not counted. */
  readonly refused: number;
  /** The hosts that the proxy refused while it ran. Default: none. */
  readonly refusedHosts?: readonly RefusedHost[];
  /** The repository above the workspace that it saw; undefined if none. */
  readonly repository?: string | undefined;
  /** Where the repository is whose linked worktree the workspace is; undefined if it is none. */
  readonly worktreeOf?: string | undefined;
  readonly home: string;
  readonly root: string;
  /** Its working directory, for paths such as `../other`. */
  readonly cwd: string;
  /** Paths in the workspace that were hidden from it. */
  readonly masked: readonly MaskedPlace[];
  /** Whether commands see a path, following the links that they see. */
  readonly isShown: (path: string) => boolean;
  /** Whether a person can make a folder visible to commands. */
  readonly canShow: (folder: string) => boolean;
}

/** How programs report a host that they cannot resolve or reach. */
const NETWORK_SIGNS: ReadonlyArray<readonly [sign: RegExp, source: string]> = [
  [/Could not resolve (?:host|proxy)/u, 'curl, git'],
  [/unable to resolve host address/u, 'wget'],
  [/Temporary failure in name resolution|Name or service not known|Temporary failure resolving/u, 'glibc: apt, ssh, Python, Ruby'],
  [/nodename nor servname provided|No address associated with hostname/u, 'musl and others'],
  [/\bEAI_AGAIN\b|\bENOTFOUND\b.*(?:registry|getaddrinfo|https?:)|getaddrinfo ENOTFOUND/u, 'Node: npm, pnpm, yarn'],
  [/\bENETUNREACH\b|Network is unreachable/u, 'the kernel: there is only a loopback'],
  [/dial tcp: lookup \S+|lookup \S+ on \S+: (?:dial|read) udp/u, 'Go'],
  [/failed to lookup address information|dns error: /u, 'Rust: uv, deno, bun'],
  [/Couldn't resolve host name|Could not resolve hostname|Couldn't connect to server/u, 'cargo, ssh, libcurl'],
  [/java\.net\.UnknownHostException|Unknown host |UnresolvedAddressException/u, 'Java: Maven, Gradle'],
  [/getaddrinfo: /u, 'Ruby'],
  [/module lookup disabled by GOPROXY=off/u, 'Go, by its offline settings'],
  [/Network access (?:is )?(?:disabled|has been disabled)|network is disabled/iu, 'Composer, Corepack, Yarn, by their offline settings'],
  [/attempting to make an HTTP request, but --offline was specified|Network connectivity is disabled|you're using offline mode/u, 'cargo, uv'],
  [/could not be found in registry index|could not find `[^`]+` in registry `/u, 'cargo add and install, which take the cache for all there is'],
];
/** An address of the command's own machine, which is the sandbox. */
const OWN_ADDRESS = /(?:\blocalhost\b|\b127(?:\.\d{1,3}){3}\b|\b0\.0\.0\.0\b|\[?::1\]?)(?:(?::|,? port |[ ]\(?)\d{1,5}\b)?/u;
/** How programs report that nothing listens on a port. */
const NOT_LISTENING = /connection refused|ECONNREFUSED|couldn't connect to server|could not connect|failed to connect|actively refused/iu;
const fromNowhere = (address: string): string =>
  `nothing listens on ${address}: it is the sandbox's own, which the commands and jobs of a session share, but not the machine. Start the server with run_command and "background", with "wait_port" to know when it listens; a person opens a web server of the machine with --network ${/^(?:localhost|127\.[\d.]+):\d+$/u.test(address) ? address : 'localhost:PORT'}`;
/** How programs report that they can make no socket. */
const NO_SOCKETS_SIGN = /Address family not supported|\bEAFNOSUPPORT\b|address family/iu;
const NO_SOCKETS =
  'a command without network has no sockets here, not even of its own machine: --network on opens them, and no other choice, as named hosts need bubblewrap';
/** Programs that a model tries an address with. They may be silent. */
const FETCHER = /\b(?:curl|wget|nc|ncat|http|xh)\b/u;
/** How the proxy of the sandbox refuses a host or a request. */
const REFUSED_SIGN = /does not allow this (?:host|request)/u;
/** How programs report a missing file. */
const MISSING_SIGN =
  /No such file or directory|\bENOENT\b|cannot find|can't (?:open|cd)|cannot open|not found|does not exist|FileNotFound|Cannot open|no such file/iu;
/** How git asks for a name and an email address. */
const IDENTITY_SIGN =
  /Please tell me who you are|empty ident name|unable to auto-detect email address|no email was given and auto-detection is disabled/u;
const NO_IDENTITY =
  'git knows no identity: a person sets it with git config --global user.name "NAME" and git config --global user.email ADDRESS, outside of Synapse';
/** How git and tools that write for it report a repository that cannot be written. */
const READ_ONLY_SIGN = /Read-only file system|insufficient permission for adding an object|unable to create directory for|cannot lock ref/u;
const READ_ONLY_REPOSITORY =
  'the repository above the workspace can only be read here: to stage, commit or switch branches, a person opens the top of the repository as the workspace';
const READ_ONLY_LIVE =
  'a live command cannot change what git runs or obeys: leave live and background out, so that it runs on a copy and a person can allow it';
const readOnlyWorktree = (home = 'the repository itself'): string =>
  `the repository of this worktree is outside the workspace, and only a command on a copy can change it: leave live and background out. If it fails then too, a person stages and commits, or opens ${home} as the workspace`;
/** How git reports that it does not see the repository that a `.git` file names, such as that of a submodule. */
const UNSEEN_REPOSITORY = /^fatal: not a git repository: (\/.+)$/mu;
/** The folder of submodules in the repository that has them. */
const MODULES = '/.git/modules/';
const unseenRepository = (path: string): string =>
  `git's data of this folder is outside the workspace, in ${path}, where commands do not see it: the tools git_status, git_diff, git_log and git_show read it. To change it, a person opens ${path.includes(MODULES) ? path.slice(0, path.indexOf(MODULES)) : 'a folder that has both'} as the workspace`;
/** The error of a file system in a sandbox for an entry whose user or group is not there: EOVERFLOW. */
const FOREIGN_SIGN = /Value too large for (?:defined )?data type/iu;
const FOREIGN =
  'a file or folder of another user or group cannot be changed on a copy, and in such a folder nothing can be made: repeat the command with "live": true';
/** The error of an overlay for the rename of a folder that it did not make: EXDEV. `mv` copies such a folder, and most programs fail. */
const RENAME_SIGN = /Invalid cross-device link|\bEXDEV\b|cross-device link not permitted/iu;
/** Folders on file systems of their own, also without a copy. */
const OTHER_FILE_SYSTEM = /(?<![\w.-])\/(?:tmp|var\/tmp|dev\/shm)\//u;
const RENAME =
  'a copy cannot rename a folder of the workspace in one step: the tool move_path renames it, mv copies it, and with "live": true the command itself can';
/** An absolute path, or one that starts with `../`. */
const OUTER_PATH = /(?<![\w.~/-])(?:\/|(?:\.\.\/)+)[^\s'"`:,;()<>|&*?[\]{}$]+/gu;

const MAX_PATHS = 30;
/** Maximum number of hidden paths to report. */
const MAX_TOLD = 2;
/** The kernel's own folders, which contain no files to show. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev', '/run'];
const EMPTY_FOLDERS = ['/tmp', '/var/tmp'];
/** Top-level folders of the Filesystem Hierarchy Standard 3.0 and of other systems: not every word after a slash is a path. */
const SYSTEM_FOLDERS = new Set('bin boot etc home lib lib64 media mnt nix opt root sbin snap srv tmp usr var Users Volumes Applications'.split(' '));
const OWN_TEMPORARY =
  'each command has an empty /tmp of its own: keep files for the next one in the workspace, or a person shows a folder of the machine with --readable';
/** How programs report a folder that is closed. */
const CLOSED_SIGN = /Permission denied|\bEACCES\b/iu;
const CLOSED_TEMPORARY =
  '/tmp is closed to commands here: temporary files go into $TMPDIR, a folder that each command has for itself; keep files for the next one in the workspace, or a person shows a folder of the machine with --readable';

const NO_NETWORK =
  'commands have no network here: a person opens it with --network packages (registries of package managers), --network example.com or --network on; the tool fetch_url reads single pages';
const NO_NETWORK_BY_NAME =
  'commands have no network here: a person opens all of it with --network on, as named hosts need bubblewrap; the tool fetch_url reads single pages';
const SOME_NETWORK = 'commands reach only some hosts here: a person adds others with --network';

/** Maximum number of refused hosts to name. */
const MAX_HOSTS = 4;
const NOT_BY_NAME =
  'only hosts by name are reached here, by HTTP and HTTPS on ports 80 and 443; a person names others with --network HOST:PORT, or opens all with --network on';

const names = (refused: readonly RefusedHost[]): string[] => refused.map(({ host }) => host);
const each = (refused: readonly RefusedHost[], told: (text: string, about: string) => string): string =>
  refused.map(({ request }) => told(request?.text ?? '', request?.about ?? '')).join('; ');

/** What to do about the hosts and requests that the proxy refused, by reason. */
const HOST_ADVICE = {
  closed: (refused) =>
    `not among the open hosts, refused: ${names(refused).join(', ')}; a person adds them with --network ${names(refused).join(',')}`,
  denied: (refused) => `refused by a rule: ${refused.map(({ host, rule }) => `${host} (${rule})`).join(', ')}`,
  'too-much': (refused) => `refused: ${names(refused).join(', ')}; ${refused[0]?.rule ?? ''}`,
  'no-public-address': (refused) =>
    `among the open hosts, but without an address that may be reached and answers: ${names(refused).join(', ')}; a person who means a host in a private network names it: --network ${names(refused).join(',')}`,
  'not-a-web-host': (refused) => `refused: ${names(refused).join(', ')}; ${NOT_BY_NAME}`,
  'closed-request': (refused) => each(refused, (text, rule) => `refused: ${text}; a person allows it with --network "${rule}"`),
  'denied-request': (refused) => each(refused, (text, rule) => `refused: ${text}, by the rule ${rule}`),
  'failed-request': (refused) => each(refused, (text, why) => `failed: ${text}: ${why}`),
} as const satisfies Record<RefusedHost['reason'], (refused: readonly RefusedHost[]) => string>;

/** The advice if the network refused something. */
export function networkHint(network: 'off' | 'some', hosts: readonly RefusedHost[] = []): string {
  if (network === 'off') return NO_NETWORK;
  const told = hosts.slice(0, MAX_HOSTS);
  const reasons = Map.groupBy(told, ({ reason }) => reason);
  return told.length === 0 ? SOME_NETWORK : Array.from(reasons, ([reason, same]) => HOST_ADVICE[reason](same)).join(' · ');
}

/** All signs that tell something about a command that succeeded, if the network refused it nothing. */
export const SIGNS = new RegExp(
  [...NETWORK_SIGNS.map(([sign]) => sign), REFUSED_SIGN, MISSING_SIGN, FOREIGN_SIGN, RENAME_SIGN].map(({ source }) => source).join('|'),
  'iu',
);

/** One line for each reason why the sandbox made a command fail, with advice; empty if it did not. */
export function explainFailure(facts: FailureFacts): string[] {
  const identity = facts.failed && IDENTITY_SIGN.test(facts.said) ? [NO_IDENTITY] : [];
  const kept = facts.failed ? keptRepository(facts) : undefined;
  return [
    ...explainNetwork(facts),
    ...identity,
    ...(FOREIGN_SIGN.test(facts.said) ? [FOREIGN] : []),
    ...(facts.said.split('\n').some((line) => RENAME_SIGN.test(line) && !OTHER_FILE_SYSTEM.test(line)) ? [RENAME] : []),
    ...(facts.failed ? explainMasks(facts) : []),
    ...(kept === undefined ? explainPlaces(facts) : [kept]),
  ];
}

const WRITES_SILENTLY = /\bgit\b[^;&|\n]*\bstash\b/u;
/** An absolute path in a repository. */
const REPOSITORY_PATH = /(?<![\w.~/-])(\/(?:(?!: )[^'"\n])*)\.git\//u;
/** A path in a repository as git reports it: as a path or as a ref. */
const REPOSITORY_SIGN = /\.git\/|refs\//u;

/** How a shell or a program reports that a file of the workspace's own repository is read-only, which it only is for live commands. */
const OWN_REPOSITORY_SIGN = /(?<![\w/-])\.git\/[^\n]*Read-only file system/u;

/** Why a repository could not be written, such as one outside the workspace; undefined if this was not the failure. */
function keptRepository({ argv, said, repository, worktreeOf, root }: FailureFacts): string | undefined {
  const unseen = UNSEEN_REPOSITORY.exec(said)?.[1];
  if (unseen !== undefined && !isWithin(resolve(unseen), root)) return unseenRepository(resolve(unseen));
  // Stash fails without a word.
  const isStash = said.trim() === '' && argv.some((word) => WRITES_SILENTLY.test(word));
  if (isStash && worktreeOf !== undefined) return readOnlyWorktree(worktreeOf);
  if (isStash && repository !== undefined) return READ_ONLY_REPOSITORY;
  const lines = said.split('\n').filter((line) => READ_ONLY_SIGN.test(line));
  if (repository !== undefined)
    return lines.some((line) => line.includes(repository) || REPOSITORY_SIGN.test(line)) ? READ_ONLY_REPOSITORY : undefined;
  if (lines.some((line) => !isWithin(REPOSITORY_PATH.exec(line)?.[1] ?? root, root))) return readOnlyWorktree(worktreeOf);
  return lines.some((line) => OWN_REPOSITORY_SIGN.test(line)) ? READ_ONLY_LIVE : undefined;
}

/** Whether hosts were refused that the command asked for. */
const wasRefused = ({ failed, said }: FailureFacts, own: readonly RefusedHost[], isNamed: (host: RefusedHost) => boolean): boolean =>
  REFUSED_SIGN.test(said) || (failed && own.length > 0) || own.some(isNamed);

/** Also for a successful command: the exit code of a pipeline is that of its last program. */
function explainNetwork(facts: FailureFacts): string[] {
  const { argv, failed, said, network, refusedHosts = [], hasNamespaces = true } = facts;
  if (network === 'on') return [];
  if (!hasNamespaces && failed && NO_SOCKETS_SIGN.test(said)) return [NO_SOCKETS];
  const isNamed = ({ host }: RefusedHost): boolean => said.includes(host) || argv.some((word) => word.includes(host));
  // Another command may have asked for a host that this one does not mention.
  const own = refusedHosts.filter((each) => !each.mayBeOthers || isNamed(each));
  const local = ownRefusals(facts);
  if (isCutOff(facts, local?.rest ?? said) || (network === 'some' && wasRefused(facts, own, isNamed)))
    return [hasNamespaces ? networkHint(network, own) : NO_NETWORK_BY_NAME];
  return local === undefined ? [] : [hasNamespaces ? fromNowhere(local.address) : NO_SOCKETS];
}

/** Whether a command found no way to another machine. @param others what it said of other addresses than those of the sandbox itself */
function isCutOff({ argv, failed, said, refused }: FailureFacts, others: string): boolean {
  const isFar = namesOtherMachine(argv);
  const failedSilently = failed && said.trim() === '' && isFar;
  return failedSilently || (refused > 0 && (failed || isFar)) || NETWORK_SIGNS.some(([sign]) => sign.test(others));
}

/** Where nothing listened on an address of the sandbox itself, and what else the command said; undefined if it was no such address. */
function ownRefusals({ argv, failed, said }: FailureFacts): { address: string; rest: string } | undefined {
  // A program that only looks up the name of its own machine does not fail because of it.
  if (!failed && namesOtherMachine(argv)) return undefined;
  const lines = said.split('\n');
  const isOwn = (line: string): boolean => NOT_LISTENING.test(line) && OWN_ADDRESS.test(line);
  const first = lines.find(isOwn) ?? (failed && said.trim() === '' ? argv.find((word) => FETCHER.test(word) && OWN_ADDRESS.test(word)) : undefined);
  const address = first === undefined ? undefined : OWN_ADDRESS.exec(first)?.[0];
  if (address === undefined) return undefined;
  return { address: address.replace(/,? port |[ ]\(?/u, ':'), rest: lines.filter((line) => !isOwn(line)).join('\n') };
}

function explainPlaces(facts: FailureFacts): string[] {
  const { hasNamespaces = true } = facts;
  const lines = facts.said.split('\n').filter((line) => MISSING_SIGN.test(line));
  const closed = hasNamespaces ? [] : facts.said.split('\n').filter((line) => CLOSED_SIGN.test(line));
  const said = lines.flatMap((line) => line.match(OUTER_PATH) ?? []);
  // In a pipeline the last program decides, so a successful one may still have missed a path among its arguments.
  const missed = facts.failed ? said : said.filter((path) => facts.argv.some((word) => word.includes(path)));
  const named = missed.map((path) => resolve(facts.cwd, path.replace(/\.+$/u, '')));
  const hidden = [...new Set(named)]
    .filter((path) => TELLABLE.test(path))
    .slice(0, MAX_PATHS)
    .filter((path) => isHidden(path, facts));
  const isTemporary = (path: string): boolean => EMPTY_FOLDERS.some((folder) => isWithin(path, folder));
  const isClosed = closed.flatMap((line) => line.match(OUTER_PATH) ?? []).some((path) => isTemporary(path) && isHidden(path, facts));
  const lost = isClosed || hidden.some(isTemporary);
  const others = hidden.filter((path) => !isTemporary(path));
  const hints = others.map((path) => `commands do not see ${path}: ${howToShow(path, facts)}`);
  return [...hints.slice(0, MAX_TOLD), ...(lost && hints.length === 0 ? [hasNamespaces ? OWN_TEMPORARY : CLOSED_TEMPORARY] : [])];
}

function howToShow(path: string, { canShow }: FailureFacts): string {
  if (!canShow(path)) return 'copy what is needed into the workspace';
  return canShow(dirname(path))
    ? 'where it is needed, a person shows its folder with --readable'
    : 'where it is needed, a person shows it with --readable if it is a folder, or copies it into the workspace';
}

/**
 * Whether commands would not see a path even if it existed. Judged by its name alone: hints only for existing paths
 * would reveal to a command which paths exist on the machine.
 */
function isHidden(path: string, { isShown, home, root }: FailureFacts): boolean {
  if ([...KERNEL_FOLDERS, root].some((place) => isWithin(path, place)) || isWithin(root, path)) return false;
  if (isWithin(path, home)) return path !== home && !path.slice(home.length).includes('/.') && !isShown(path);
  const top = path.split('/')[1] ?? '';
  return (SYSTEM_FOLDERS.has(top) || top === root.split('/')[1]) && !isShown(path);
}
