import { openSingleFile, type SingleFile } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { isAbsolute, resolve } from 'node:path';
import type { SettingsFile } from './client-settings.ts';
import { diffOf, textOf } from './configuration-text.ts';
import type { EntryFormat } from './entry-format.ts';
import { openInstallRecord, type InstallRecord, type InstallRecordFile } from './install-records.ts';
import { planOwnFile, planRemoval, type InstallPlan, type PlanInput } from './plan-install.ts';
import { changeBetween, revertChange } from './revert.ts';

const MARK = '\ufeff';

/** The format of a file, by its name in the table of clients. */
export async function formatOf(format: 'json' | 'jsonc' | 'toml', file: string): Promise<EntryFormat> {
  if (format === 'toml') return (await import('./toml-format.ts')).tomlFormat(file);
  return (await import('./json-format.ts')).jsonFormat(file, format === 'jsonc');
}

/** The input for planning an edit. */
export interface Planning {
  /** The real path. */
  readonly path: string;
  readonly text: string;
  readonly record: InstallRecord | undefined;
}

/** The folders for files and records. */
export interface EditPlace {
  readonly project: string;
  readonly stateFolder: string;
}

/** A change to one file: planned, shown, then written by {@link write}. */
export interface FileEdit extends Disposable {
  readonly named: string;
  readonly file: SingleFile;
  readonly plan: InstallPlan;
  readonly changes: boolean;
  /** Whether the file was created for the server and is now empty. */
  readonly deletes: boolean;
  readonly diff: string;
  write(): void;
}

/**
 * Opens a file and plans its change.
 *
 * @param inProject whether the file must be inside the project, also after links are resolved
 */
export async function openEdit(
  named: string,
  inProject: boolean,
  { project, stateFolder }: EditPlace,
  planner: (input: Planning) => Promise<InstallPlan>,
): Promise<FileEdit> {
  using stack = new DisposableStack();
  const file = stack.use(await openSingleFile(named, inProject ? { folder: project, stateFolder } : undefined));
  const kept = stack.use(await openInstallRecord(stateFolder, file.path));
  const whole = textOf(file);
  const mark = whole.startsWith(MARK) ? MARK : '';
  const text = whole.slice(mark.length);
  const plan = await planner({ path: file.path, text, record: kept.record });
  const changes = plan.after !== text;
  const deletes = plan.status === 'remove' && plan.after.trim() === '' && kept.record?.created === true;
  const held = stack.move();
  return {
    named,
    file,
    plan,
    changes,
    deletes,
    diff: changes ? diffOf(text, plan.after) : '',
    write: () => writeEdit({ file, kept, plan, changes, deletes, mark }),
    [Symbol.dispose]: () => held.dispose(),
  };
}

interface Writing extends Pick<FileEdit, 'file' | 'plan' | 'changes' | 'deletes'> {
  readonly kept: InstallRecordFile;
  readonly mark: string;
}

function writeEdit({ file, kept, plan, changes, deletes, mark }: Writing): void {
  const bytes = Buffer.from(mark + plan.after);
  if (plan.status === 'remove') {
    if (deletes) file.delete(kept.record?.folders);
    else if (changes) file.write(bytes);
    kept.forget();
    return;
  }
  if (!changes) return;
  const isNew = file.bytes === undefined;
  kept.keep({
    change: changeBetween(plan.original, plan.after),
    created: isNew || (kept.record?.created === true && plan.original === ''),
    folders: isNew ? file.missingFolders : (kept.record?.folders ?? 0),
    settings: plan.placed,
  });
  file.write(bytes);
}

/** Plans a file with fixed content: it exists as a whole, or not at all. */
function planText({ path, text, record }: Planning, wanted: string | undefined): InstallPlan {
  const ours = record === undefined ? undefined : revertChange(text, record.change);
  const base = { original: '', placed: [] };
  if (wanted === undefined)
    return record === undefined ? { ...base, status: 'absent', after: text } : { ...base, status: 'remove', after: ours ?? text };
  if (text === wanted) return { ...base, status: 'unchanged', after: text };
  if (text === '' || ours === '') return { ...base, status: text === '' ? 'install' : 'update', after: wanted };
  throw new SynapseError('conflict', `File exists: ${path}. Nothing was changed.`, { hint: 'Move it away, then repeat the command.' });
}

/** Opens a client's files beside the one with the entry. Removes those of an earlier installation that are no longer wanted. */
export async function openSettingsFiles(
  files: readonly SettingsFile[],
  wanted: boolean,
  paths: (file: SettingsFile) => string,
  place: EditPlace,
): Promise<FileEdit[]> {
  const edits: FileEdit[] = [];
  for (const one of files) {
    const named = paths(one);
    edits.push(
      await openEdit(resolve(place.project, named), !isAbsolute(named), place, async (input) => {
        if (one.format === 'text') return planText(input, wanted ? one.text : undefined);
        const format = await formatOf(one.format, input.path);
        const plan: PlanInput = { ...input, format };
        return wanted ? planOwnFile(plan, one.settings) : planRemoval(undefined, plan);
      }),
    );
  }
  return edits;
}
