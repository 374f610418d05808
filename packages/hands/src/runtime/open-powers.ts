import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FolderRepository } from '../git/folder-repository.ts';
import { Git } from '../git/git.ts';
import { PersonConfig } from '../git/person-config.ts';
import { jobsFolder } from '../jobs/job-record.ts';
import { Jobs } from '../jobs/jobs.ts';
import { Journal } from '../journal/journal.ts';
import { LanguageServers } from '../lsp/language-servers.ts';
import type { EventListener } from '../pipeline/record.ts';
import { CurrentTree } from '../pipeline/routed-commands.ts';
import { decide } from '../policy/decide.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import { LocalProcesses } from '../process/local-processes.ts';
import { isTrusted } from '../projects/trust.ts';
import { quarantineFolder } from '../quarantine/quarantine.ts';
import { CommandProcesses } from '../sandbox/command-processes.ts';
import { SERVER_LIMITS } from '../sandbox/resource-limits.ts';
import type { SandboxChoice } from '../sandbox/sandbox-choices.ts';
import { NetworkLog, networkLogFile, type Noted } from '../sandbox/network/network-log.ts';
import type { SandboxOptions } from '../sandbox/sandbox-options.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { Search } from '../search/search.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { workspaceId } from '../state/state-folder.ts';
import { AttributeWorker } from '../transaction/attribute-worker.ts';
import { opaqueMarks } from '../transaction/exact-attributes.ts';
import { PendingStore } from '../transaction/pending-store.ts';
import { holdUnapplied, OUTPUTS } from '../transaction/transaction-area.ts';
import { shownBelow } from '../branch/branch-state.ts';
import { refreshBranch } from '../branch/refresh-branch.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { PlacesElsewhere } from '../workspace-index/places-elsewhere.ts';
import type { Step } from '../workspace/changes/step.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import type { ReadableRoots } from '../workspace/readable-roots.ts';
import { SpillStore } from '../workspace/spill-store.ts';
import { changeableRepository } from '../transaction/linked-repository.ts';
import type { LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { WithRepository } from '../workspace/with-repository.ts';
import type { Budgets } from './budget-settings.ts';
import type { HandsOptions } from './hands-options.ts';
import { edgeSource } from './edge-source.ts';
import { commandPolicy, writingPolicy } from './sandbox-policies.ts';
import { lazy, once, type Lazy } from '../events/timing.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';

/** Dependencies of {@link openPowers}. */
export interface PowersParts {
  readonly options: HandsOptions;
  readonly budgets: Budgets;
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly readable: ReadableRoots;
  readonly policy: PolicyStore;
  readonly sandbox: SandboxChoice;
  readonly stateFolder: string;
  /** Folder of the user's configuration. */
  readonly userFolder: string;
  /** Synapse's own folders, hidden from commands. */
  readonly ownFolders: readonly string[];
  /** Aborted when the hands close. */
  readonly closing: AbortSignal;
  readonly redact: (text: string) => string;
  /** Called with secrets that no record may contain. */
  readonly onSecrets: (values: readonly string[]) => void;
  /** The secrets that commands use and never see. */
  readonly secrets: SecretStore;
  readonly hasSecrets: () => boolean;
  readonly emit: EventListener;
}

/** Services that live as long as the hands and are shared by calls. Expensive ones are created on first use. */
export interface Powers {
  /** Runs Synapse's own programs: ripgrep and git. */
  readonly processes: LocalProcesses;
  /** Reads and changes file attributes that Node has no API for. */
  readonly attributes: AttributeWorker;
  readonly locks: FileLocks;
  readonly spills: SpillStore;
  readonly journal: Journal;
  /** The repository outside the workspace that commands may change; undefined if there is none. */
  readonly linked: LinkedWorktree | undefined;
  /** The workspace, with that repository. */
  readonly whole: Confinement;
  /** Changes by commands that wait for approval. */
  readonly pending: PendingStore;
  /** Detects changes in the workspace. */
  readonly folders: Lazy<FolderIndex>;
  /** What folders anywhere in the workspace lead other programs to. */
  readonly elsewhere: PlacesElsewhere;
  /** What commands can read in the workspace, as a hash. */
  readonly tree: CurrentTree;
  readonly search: () => Search;
  readonly git: () => Git;
  /** The repository above the workspace, as commands see it. */
  readonly repository: Lazy<FolderRepository>;
  /** Runs the commands of models. */
  readonly commands: Lazy<CommandProcesses>;
  readonly languageServers: Lazy<LanguageServers>;
  readonly jobs: Lazy<Jobs>;
}

/** What the other services build on: state, locks, the journal and the index of the workspace. */
type Stores = Pick<Powers, 'processes' | 'attributes' | 'locks' | 'journal' | 'linked' | 'whole' | 'folders' | 'elsewhere'> & {
  /** Identifies the workspace in the state folder. */
  readonly id: string;
  /** Folder of the copies of commands. */
  readonly areas: string;
  /** Creates a service on first use, while the hands are open. */
  readonly lazily: <T extends Partial<Disposable & AsyncDisposable>>(make: () => T) => Lazy<T>;
};

/** Creates the services. The stack disposes them in reverse order. */
export function openPowers(stack: AsyncDisposableStack, parts: PowersParts): Powers {
  const { stateFolder, sandbox } = parts;
  // Language servers get none of the variables that are set for commands.
  const serverProcesses = stack.use(new LocalProcesses({ untrusted: parts.confinement.root }));
  const stores = openStores(stack, parts);
  const { id, areas, lazily, processes, attributes, locks, journal, linked, whole, folders, elsewhere } = stores;
  const shared = sharedOptions(parts, stores);
  // Now: what rules deny does not change while the hands are open.
  const confined = commandPolicy(parts);
  const asked = stack.use(new NetworkLog(networkLogFile(stateFolder, id)));
  const options = commandOptions(parts, stores, { ...shared, policy: { ...confined, ...writingPolicy(parts) } });
  const forCommands = { ...options, onAsked: (noted: Noted) => asked.note(noted) };
  const forServers = { ...shared, processes: serverProcesses, policy: confined };
  const commands = lazily(() => new CommandProcesses(sandbox, { ...forCommands, folders: folders.get() }));
  const languageServers = lazily(() => openLanguageServers(parts, stores, forServers));
  const search = lazily(() => new Search(processes, folders.get()));
  const git = once(() => new Git(processes, join(stateFolder, 'git'), sandbox, folders.get()));
  return {
    processes,
    attributes,
    locks,
    spills: new SpillStore(join(stateFolder, 'spills', id)),
    journal,
    linked,
    whole,
    pending: new PendingStore(areas),
    folders,
    elsewhere,
    tree: stack.use(new CurrentTree(folders, async () => await openTree(parts, stores, confined))),
    search: () => search.get(),
    git,
    repository: lazily(() => new FolderRepository(git, processes, join(stateFolder, 'repositories', id))),
    commands,
    languageServers,
    jobs: lazily(() => openJobs(parts, id)),
  };
}

function openStores(stack: AsyncDisposableStack, { options, confinement, stateFolder, closing }: PowersParts): Stores {
  const id = workspaceId(confinement.root);
  const areas = join(stateFolder, 'transactions', id);
  const given = options.environment === undefined ? {} : { environment: options.environment };
  const processes = stack.use(new LocalProcesses({ ...given, untrusted: confinement.root }));
  const attributes = stack.use(new AttributeWorker());
  const locks = new FileLocks(join(stateFolder, 'locks'));
  const linked = changeableRepository(confinement, stateFolder);
  const whole = linked === undefined ? confinement : stack.use(new WithRepository(confinement, new HandleConfinement(linked.repository)));
  const below = shownBelow(stateFolder);
  const observer = below === undefined ? undefined : recordBases(stack, stateFolder, confinement);
  const branches = join(stateFolder, 'branches', id);
  // A branch is one of them.
  const others = below === undefined ? 0 : 1;
  const holdsCopies = (): boolean => holdUnapplied(areas) || (existsSync(branches) && readdirSync(branches).length > others);
  const journal = stack.use(new Journal({ folder: join(stateFolder, 'journal', id), areas, confinement: whole, locks, observer, holdsCopies }));
  const lazily: Stores['lazily'] = (make) => lazy(stack, () => assertOpen(closing), make);
  const folders = lazily(
    () =>
      new FolderIndex(confinement, {
        below:
          typeof below === 'object'
            ? { ...below, refresh: async () => void (await refreshBranch(stateFolder)) }
            : below === 'unknown'
              ? below
              : undefined,
      }),
  );
  const elsewhere = new PlacesElsewhere(confinement, folders, (path) => journal.database.tookFolder(path));
  return { id, areas, lazily, processes, attributes, locks, linked, whole, journal, folders, elsewhere };
}

/** In a branch, notes what the workspace has before the branch changes it. */
function recordBases(stack: AsyncDisposableStack, stateFolder: string, confinement: Confinement): () => Promise<(steps: readonly Step[]) => void> {
  // The stack belongs to the hands by the time of the first change.
  const opened = stack.use(new DisposableStack());
  return async () => {
    const { BaseRecorder } = await import('../branch/base-recorder.ts');
    const recorder = opened.use(new BaseRecorder(stateFolder, confinement));
    return (steps) => recorder.note(steps);
  };
}

/** What every sandbox of these hands is opened with. */
type SharedOptions = Pick<SandboxOptions, 'confinement' | 'quarantineFolder' | 'layersFolder' | 'runsFolder' | 'keptOutputs'>;

function sharedOptions({ confinement, budgets, stateFolder }: PowersParts, { areas, locks, attributes }: Stores): SharedOptions {
  const { root } = confinement;
  return {
    confinement,
    quarantineFolder: quarantineFolder(stateFolder, root),
    layersFolder: join(stateFolder, 'cache-layers'),
    runsFolder: join(stateFolder, 'runs'),
    keptOutputs: {
      exist: () => existsSync(join(areas, OUTPUTS)),
      // Loaded where a project has some.
      source: once(async () => {
        const { liveOutputs } = await import('../transaction/live-outputs.ts');
        const alone = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => await locks.hold([`${root}\0apply`], signal, work);
        return liveOutputs({ areas, confinement, marks: opaqueMarks(attributes), alone, maxBytes: budgets.outputBytes });
      }),
    },
  };
}

function commandOptions(
  { options, budgets, confinement: { root }, rootNames, stateFolder, secrets, hasSecrets, policy, onSecrets }: PowersParts,
  { id, processes, attributes, locks, elsewhere }: Stores,
  shared: SharedOptions & Pick<SandboxOptions, 'policy'>,
): SandboxOptions {
  const variables = { ...process.env, ...options.environment };
  const person = new PersonConfig(root, variables);
  return {
    ...shared,
    rootNames,
    variables,
    keptCaches: { folder: join(stateFolder, 'caches', id), root, locks, marks: opaqueMarks(attributes), budgetBytes: budgets.cacheBytes },
    homeFiles: person.homeFiles,
    proxy: budgets.sentBytes === undefined ? {} : { maxSentBytes: budgets.sentBytes },
    edge: edgeSource({ secrets, hasSecrets, policy, onSecrets }),
    processes,
    history: elsewhere,
  };
}

function openLanguageServers(
  { confinement, sandbox, stateFolder, ownFolders, policy }: PowersParts,
  { areas, folders }: Stores,
  given: SharedOptions & Pick<SandboxOptions, 'processes' | 'policy'>,
): LanguageServers {
  const { root } = confinement;
  return new LanguageServers({
    root,
    folders: folders.get(),
    directory: () => confinement.openDirectory([]),
    isTrusted: () => isTrusted(root, stateFolder),
    hides: given.policy.deniesRead,
    // What commands built changes without a change in the workspace.
    // Times that were set again are not exact to the nanosecond.
    stamp: () => String(Math.round(statSync(join(areas, OUTPUTS), { throwIfNoEntry: false })?.mtimeMs ?? 0)),
    // These commands are confined to reading, so they need no queue.
    open: (place) => {
      const readable = ownFolders.some((own) => isWithin(own, place)) ? [] : [place];
      const confined: SandboxPolicy = { ...given.policy, mode: 'server', network: 'off', readable, limits: SERVER_LIMITS };
      return new CommandProcesses(sandbox, { ...given, folders: folders.get(), policy: confined });
    },
    mayRunUnconfined: (program) =>
      decide(policy.current, { tool: 'run_command', permissions: [{ action: 'exec', resource: program }], confined: false }).verdict === 'allow',
  });
}

/** Opens the tree of what commands can read. Loaded with the first command. */
async function openTree({ confinement, stateFolder }: PowersParts, { folders }: Stores, { deniesRead = () => false }: SandboxPolicy) {
  const [{ WorkspaceTree }, { TreeStore }] = await Promise.all([import('../tree/workspace-tree.ts'), import('../tree/tree-store.ts')]);
  const tree = new WorkspaceTree({ confinement, index: folders.get(), store: new TreeStore(stateFolder, confinement.root), hides: deniesRead });
  tree.follow();
  return tree;
}

function openJobs(parts: PowersParts, id: string): Jobs {
  const { confinement, stateFolder, redact, emit } = parts;
  return new Jobs({
    folder: jobsFolder(stateFolder, id),
    redact,
    emit,
    recordLost: async (job) =>
      await (
        await import('../receipt/record-lost-job.ts')
      ).recordLostJob({ folder: jobsFolder(stateFolder, id), stateFolder, root: confinement.root, job }),
    // Loaded when a person detaches a job, which few do.
    startKeeper: async (task) =>
      await (
        await import('./start-keeper.ts')
      ).startKeeper({ task: { ...task, workspace: confinement.root }, hands: keeperHands(parts) }, stateFolder),
  });
}

/** The options of the hands that check what a job left whose process has ended. They have no approver and no other tools. */
function keeperHands({ options, confinement, stateFolder, userFolder, sandbox }: PowersParts): HandsOptions {
  return {
    workspace: confinement.root,
    stateFolder,
    configFolder: userFolder,
    allow: [...(options.allow ?? [])],
    readable: [...(options.readable ?? [])],
    ...(options.policy === undefined ? {} : { policy: options.policy }),
    sandbox,
  };
}
