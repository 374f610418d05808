import { BESIDE_ENTRY, ONLY_TABLE, REMOTE_SETTINGS, type ClientSetting } from './client-settings.ts';
import type { ClientDefinition, ClientName, Machine, Scope } from './clients.ts';
import { formatOf, openEdit, openSettingsFiles, type EditPlace, type FileEdit, type Planning } from './file-edits.ts';
import type { Server } from './find-server.ts';
import { planInstall, planRemoval, type InstallPlan } from './plan-install.ts';

/** What is to be in the files of a client. */
export interface WantedInstall {
  readonly name: ClientName;
  readonly client: ClientDefinition;
  readonly scope: Scope;
  /** Undefined to take it out. */
  readonly server: Server | undefined;
  /** Whether the client's own tools are turned off. */
  readonly only: boolean;
}

/** The settings that go with the entry in its file. */
function settingsOf({ name, scope, server, only }: WantedInstall): ClientSetting[] {
  return [
    ...(BESIDE_ENTRY[name] ?? []),
    ...(server?.kind === 'address' ? (REMOTE_SETTINGS[name] ?? []) : []),
    ...(only ? (ONLY_TABLE[name][scope]?.settings ?? []) : []),
  ];
}

async function planEntry(wanted: WantedInstall, input: Planning): Promise<InstallPlan> {
  const { name, client, scope, server, only } = wanted;
  const whole = { ...input, format: await formatOf(client.format, input.path) };
  if (server === undefined) return planRemoval(client, whole);
  const own = only ? ONLY_TABLE[name][scope]?.entry : {};
  return planInstall(
    client,
    whole,
    (shape) => ({ ...(server.kind === 'command' ? shape.entry(server) : shape.remote?.(server)), ...own }),
    settingsOf(wanted),
  );
}

/** What `--only` could not turn off. */
export const leftOn = ({ name, scope, only }: WantedInstall): string | undefined => (only ? ONLY_TABLE[name][scope]?.left : undefined);

/**
 * Opens the files of a client and plans their changes.
 *
 * @param file the one with the entry
 * @param stack closes them
 * @returns the edit of that file, and those of others that have or get something
 */
export async function openInstall(
  wanted: WantedInstall,
  file: string,
  machine: Machine,
  place: EditPlace,
  stack: DisposableStack,
): Promise<[entry: FileEdit, ...others: FileEdit[]]> {
  const { name, scope, server, only } = wanted;
  const entry = stack.use(await openEdit(file, scope === 'project', place, (input) => planEntry(wanted, input)));
  const files = ONLY_TABLE[name][scope]?.files ?? [];
  const others = await openSettingsFiles(files, server !== undefined && only, (one) => one.file(machine), place);
  for (const edit of others) stack.use(edit);
  return [entry, ...others.filter(({ plan }) => plan.status !== 'absent')];
}
