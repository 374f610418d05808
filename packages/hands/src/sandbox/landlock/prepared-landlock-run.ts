import { homedir } from 'node:os';
import { closeSync } from 'node:fs';
import { join, relative } from 'node:path';
import { FIRST_HANDLE, type ProcessRequest } from '../../process/processes.ts';
import { RUN_MODES } from '../../modes/run-modes.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import { closedFor } from '../closed-for.ts';
import { NOTHING_CLOSED } from '../closed-places.ts';
import { OFFLINE_ENVIRONMENT, OFFLINE_FILES } from '../network/offline-environment.ts';
import { currentPath } from '../prepared-run.ts';
import type { PreparedRun, Run } from '../run.ts';
import { keepAnonymous, openAnonymous } from '../run-files.ts';
import { keptFilter } from '../seccomp/call-filter.ts';
import { CALLS_UNDER_LANDLOCK, CALLS_UNDER_LANDLOCK_WITH_NETWORK } from '../seccomp/landlock-calls.ts';
import type { Tier } from '../tier.ts';
import { needsCaches } from '../view/package-caches.ts';
import { hiddenPlaces, reachable, workspaceMounts } from '../workspace-mounts.ts';
import { explainLandlock } from './explain-landlock.ts';
import type { Landlock } from './find-landlock.ts';
import { landlockNote } from './lacks.ts';
import { planText, SCOPES_ABI } from './landlock-plan.ts';
import { KEEPER_SIGNAL, openLeft } from './keeper.ts';
import { landlockRules, type LandlockPlace } from './landlock-rules.ts';
import { BASE_PLACES, namesOnDisk, placesOf } from './places.ts';
import { makeRunFolder } from './run-folder.ts';

const NO_READS: ReadonlySet<string> = new Set();
/** Files of the system that git is closed out of, and warns about. In a namespace they do not exist. */
const NO_SYSTEM_FILES = { GIT_CONFIG_NOSYSTEM: '1', GIT_ATTR_NOSYSTEM: '1' };
const NARROWED =
  'Without namespaces commands cannot be held to some hosts and get no stored secrets, so this one has no network. A person opens all with --network on.';

/** What the tier needs besides what every run of the sandbox has. */
export interface LandlockTierParts {
  readonly landlock: Landlock;
  readonly runsFolder: string | undefined;
  /** Whether the policy names hosts, to which a command cannot be held here. */
  readonly isNarrowed: boolean;
}

/** Confines commands with Landlock and a filter of system calls. */
export const landlockTier = (own: LandlockTierParts): Tier => ({
  name: 'landlock',
  program: own.landlock.program,
  copies: 'clone',
  prepare: async (parts, request, overlay, use) => await prepareLandlockRun(own, { parts, request, overlay, use, facts: RUN_MODES[use.mode] }),
});

async function prepareLandlockRun(own: LandlockTierParts, run: Run): Promise<PreparedRun> {
  const { parts, request, overlay, use } = run;
  const { options, support, view } = parts;
  const { root: rootPath } = options.confinement;
  const { root, survey, mode } = use;
  await using stack = new AsyncDisposableStack();
  const hasNetwork = run.facts.network !== 'none' && support.network.namespace === 'host';
  if (run.facts.network !== 'none' && own.isNarrowed) request.onNote?.(NARROWED);
  request.onNote?.(landlockNote(own.landlock.abi, overlay !== undefined));
  const closed = run.facts.protected === 'mounted read-only' ? await closedFor(run) : NOTHING_CLOSED;
  const namespace = hasNetwork ? 'host' : 'own';
  const machine = await view.mounts(namespace, { sockets: [], isCommand: mode !== 'server', signal: request.signal });
  const home = view.privateHome(namespace) ?? homedir();
  const folder = stack.use(makeRunFolder(own.runsFolder, { files: await homeFiles(run, hasNetwork), home, shown: linkedInHome(machine, request) }));
  const writable = run.facts.workspace === 'itself';
  const approvedReads = request.approvedReads ?? NO_READS;
  const inWorkspace = { root, rootPath, writable, closed, sockets: [], approvedReads, shown: view.shown };
  // What is hidden has no copy in a clone. The workspace itself stays readable: programs know its path.
  if (overlay !== undefined) await overlay.hide(reachable(() => hiddenPlaces(survey.findings, inWorkspace)).inside);
  const cloned: LandlockPlace[] = overlay === undefined ? [] : [{ path: overlay.source, level: 'write' }];
  const further = (options.policy.writable ?? []).map((path): Mount => ({ kind: 'writable', path }));
  const mounts = [...machine, ...further.filter(({ path }) => path !== rootPath), ...reachable(() => workspaceMounts(survey.findings, inWorkspace))];
  const { rules, fixed } = landlockRules([...BASE_PLACES, ...placesOf(mounts), { path: folder.path, level: 'write' }, ...cloned], namesOnDisk);
  const environment = { ...NO_SYSTEM_FILES, ...(hasNetwork ? {} : OFFLINE_ENVIRONMENT), ...folder.environment };
  const plan = keepAnonymous(planText({ abi: own.landlock.abi, rules, network: hasNetwork, environment }));
  stack.defer(() => closeSync(plan));
  const calls = keptFilter(hasNetwork ? CALLS_UNDER_LANDLOCK_WITH_NETWORK : CALLS_UNDER_LANDLOCK);
  // Without one the tier does not open.
  if (calls === undefined) throw new TypeError('There is no filter of system calls for this processor.');
  const filter = stack.use(openAnonymous(calls));
  const left = stack.use(openLeft());
  const folderOf = currentPath(request.cwd);
  const cwd = overlay === undefined ? folderOf : join(overlay.source, relative(rootPath, folderOf));
  const { totalMemoryBytes: memoryBytes, processes } = support.limits;
  const group = stack.use(await support.groups?.open({ memoryBytes, processes }));
  const opened = stack.move();
  const reach = hasNetwork ? 'on' : 'off';
  return {
    argv: own.landlock.wrap([request.argv[0], ...request.argv.slice(1)], FIRST_HANDLE, FIRST_HANDLE + 1, cwd, FIRST_HANDLE + 2),
    handles: [{ descriptor: plan }, filter, left],
    endsAllBy: own.landlock.abi >= SCOPES_ABI ? KEEPER_SIGNAL : undefined,
    covers: [],
    cgroupProcs: group?.door,
    reach,
    refused: undefined,
    // A command that has no namespaces ends with its process.
    handOver: () => {},
    assertMounted: () => {},
    ranOutOfMemory: async () => (await group?.ranOutOfMemory()) === true,
    leftRunning: left.count,
    lost: () => [],
    lostSoFar: () => [],
    explain: (outcome, said) => {
      const facts = { hidden: [], repository: undefined, network: reach, refused: 0, refusedHosts: [] } as const;
      const usual = view.explain({ ...facts, argv: request.argv, cwd, outcome, said, mounts });
      return [...explainLandlock({ said, outcome, fixed, rootPath, reach }), ...usual];
    },
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}

async function homeFiles({ parts: { options } }: Run, hasNetwork: boolean) {
  return [...((await options.homeFiles?.()) ?? []), ...(hasNetwork ? [] : OFFLINE_FILES)].filter(({ content }) => content !== '');
}

/** What the private home folder leads to. A package manager fills an empty cache, and fails with one that it cannot write. */
const linkedInHome = (machine: readonly Mount[], { argv }: ProcessRequest): string[] =>
  machine.flatMap(({ kind, path }) => (kind === 'read-only' || (kind === 'cache' && !needsCaches(argv)) ? [path] : []));
