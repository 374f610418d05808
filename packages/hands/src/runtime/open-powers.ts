import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FolderRepository } from '../git/folder-repository.ts';
import { Git } from '../git/git.ts';
import { PersonConfig } from '../git/person-config.ts';
import { jobsFolder } from '../jobs/job-record.ts';
import { Jobs } from '../jobs/jobs.ts';
import { Journal } from '../journal/journal.ts';
import { LanguageServers } from '../lsp/language-servers.ts';
import type { EventListener } from '../pipeline/record.ts';
import { decide } from '../policy/decide.ts';
import { deniedPrograms, deniedReads, deniedWrites, deniesBelow, readVerdict } from '../policy/denied-writes.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import { LocalProcesses } from '../process/local-processes.ts';
import { isTrusted } from '../projects/trust.ts';
import { quarantineFolder } from '../quarantine/quarantine.ts';
import { CommandProcesses, type SandboxChoice } from '../sandbox/command-processes.ts';
import { SERVER_LIMITS } from '../sandbox/resource-limits.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { Search } from '../search/search.ts';
import { workspaceId } from '../state/state-folder.ts';
import { AttributeWorker } from '../transaction/attribute-worker.ts';
import { opaqueMarks } from '../transaction/exact-attributes.ts';
import { PendingStore } from '../transaction/pending-store.ts';
import { OUTPUTS } from '../transaction/transaction-area.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { PlacesElsewhere } from '../workspace-index/places-elsewhere.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import type { ReadableRoots } from '../workspace/readable-roots.ts';
import { SpillStore } from '../workspace/spill-store.ts';
import { changeableRepository } from '../transaction/linked-repository.ts';
import type { LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { WithRepository } from '../workspace/with-repository.ts';
import type { CacheBudgets } from './cache-settings.ts';
import type { HandsOptions } from './hands-options.ts';
import { lazy, once, type Lazy } from '../events/once.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';

/** Dependencies of {@link openPowers}. */
export interface PowersParts {
  readonly options: HandsOptions;
  readonly budgets: CacheBudgets;
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
  readonly search: () => Search;
  readonly git: () => Git;
  /** The repository above the workspace, as commands see it. */
  readonly repository: Lazy<FolderRepository>;
  /** Runs the commands of models. */
  readonly commands: Lazy<CommandProcesses>;
  readonly languageServers: Lazy<LanguageServers>;
  readonly jobs: Lazy<Jobs>;
}

/** Creates the services. The stack disposes them in reverse order. */
export function openPowers(stack: AsyncDisposableStack, parts: PowersParts): Powers {
  const { options, budgets, confinement, sandbox, stateFolder, closing } = parts;
  const id = workspaceId(confinement.root);
  const opened = (): void => assertOpen(closing);
  const areas = join(stateFolder, 'transactions', id);
  const given = options.environment === undefined ? {} : { environment: options.environment };
  const serverProcesses = stack.use(new LocalProcesses({ untrusted: confinement.root }));
  const processes = stack.use(new LocalProcesses({ ...given, untrusted: confinement.root }));
  const attributes = stack.use(new AttributeWorker());
  const locks = new FileLocks(join(stateFolder, 'locks'));
  const linked = changeableRepository(confinement, stateFolder);
  const whole = linked === undefined ? confinement : stack.use(new WithRepository(confinement, new HandleConfinement(linked.repository)));
  const journal = stack.use(new Journal({ folder: join(stateFolder, 'journal', id), areas, confinement: whole, locks }));
  const folders = lazy(stack, opened, () => new FolderIndex(confinement));
  const confined = commandPolicy(parts);
  const writing = { ...confined, ...writingPolicy(parts) };
  const kept = quarantineFolder(stateFolder, confinement.root);
  const shared = { confinement, quarantineFolder: kept };
  const variables = { ...process.env, ...options.environment };
  const person = new PersonConfig(confinement.root, variables);
  const seen = {
    rootNames: parts.rootNames,
    variables,
    layersFolder: join(stateFolder, 'cache-layers'),
    keptCaches: {
      folder: join(stateFolder, 'caches', id),
      root: confinement.root,
      locks,
      marks: opaqueMarks(attributes),
      budgetBytes: budgets.cacheBytes,
    },
    homeFiles: person.homeFiles,
  };
  const keptOutputs = {
    exist: () => existsSync(join(areas, OUTPUTS)),
    // Loaded where a project has some.
    source: once(async () => {
      const { liveOutputs } = await import('../transaction/live-outputs.ts');
      const alone = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
        await locks.hold([`${confinement.root}\0apply`], signal, work);
      return liveOutputs({ areas, confinement, marks: opaqueMarks(attributes), alone, maxBytes: budgets.outputBytes });
    }),
  };
  const elsewhere = new PlacesElsewhere(
    confinement,
    () => folders.get(),
    (path) => journal.database.tookFolder(path),
  );
  const commands = lazy(
    stack,
    opened,
    () => new CommandProcesses(sandbox, { ...shared, ...seen, keptOutputs, processes, history: elsewhere, folders: folders.get(), policy: writing }),
  );
  const languageServers = lazy(
    stack,
    opened,
    () =>
      new LanguageServers({
        root: confinement.root,
        folders: folders.get(),
        directory: () => confinement.openDirectory([]),
        isTrusted: () => isTrusted(confinement.root, stateFolder),
        // What commands built changes without a change in the workspace.
        // Times that were set again are not exact to the nanosecond.
        stamp: () => String(Math.round(statSync(join(areas, OUTPUTS), { throwIfNoEntry: false })?.mtimeMs ?? 0)),
        // These commands are confined to reading, so they need no queue.
        open: (place) =>
          new CommandProcesses(sandbox, {
            ...shared,
            keptOutputs,
            layersFolder: seen.layersFolder,
            processes: serverProcesses,
            folders: folders.get(),
            policy: {
              ...confined,
              mode: 'server',
              network: 'off',
              readable: parts.ownFolders.some((own) => isWithin(own, place)) ? [] : [place],
              limits: SERVER_LIMITS,
            },
          }),
        mayRunUnconfined: (program) =>
          decide(parts.policy.current, { tool: 'run_command', permissions: [{ action: 'exec', resource: program }], confined: false }).verdict ===
          'allow',
      }),
  );
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
    search: once(() => new Search(processes, folders.get())),
    git,
    repository: lazy(stack, opened, () => new FolderRepository(git, processes, join(stateFolder, 'repositories', id))),
    commands,
    languageServers,
    jobs: lazy(
      stack,
      opened,
      () =>
        new Jobs({
          folder: jobsFolder(stateFolder, id),
          redact: parts.redact,
          emit: parts.emit,
          // Loaded when a person detaches a job, which few do.
          startKeeper: async (task) =>
            await (await import('./start-keeper.ts')).startKeeper({ task: { ...task, workspace: confinement.root }, hands: keeperHands(parts) }),
        }),
    ),
  };
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

/** What the sandbox hides from every process. */
function commandPolicy({ ownFolders, policy }: PowersParts): SandboxPolicy {
  const byRule = deniedReads(policy.current);
  return {
    hidden: ownFolders,
    // Like deny rules for writing, these do not change while hands are open.
    mayDenyBelow: deniesBelow(policy.current),
    deniesReadByRule: byRule,
    deniesRead: (path) => readVerdict(policy.current, path) !== 'allow',
    // Without a rule, only the name of a file in the workspace is a reason to ask.
    hidesByName: (path) => readVerdict(policy.current, path) === 'ask' && byRule?.(path) !== true,
  };
}

/** The sandbox policy of commands, which may change files. */
function writingPolicy({ options, policy, readable }: PowersParts): Partial<SandboxPolicy> {
  return {
    judged: readable.folders,
    // Deny rules do not change while hands are open.
    deniesWrite: deniedWrites(policy.current),
    deniedPrograms: deniedPrograms(policy.current),
    allowProtected: new Set(options.allow).has('protected'),
    ...(options.network === undefined ? {} : { network: options.network }),
  };
}
