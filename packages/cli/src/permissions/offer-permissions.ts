import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changePermissions, defaultStateFolder, openSingleFile, Projects, type NewPermissions } from '@synapse/hands/internal';
import type { CommandIo } from '../command/command.ts';
import { confirmOrFail } from '../input/confirm-or-fail.ts';
import { diffOf, textOf } from '../install/configuration-text.ts';
import { printJson } from '../output/print-json.ts';

/** Permissions offered for a project's configuration. */
export interface Offer {
  /** The project. */
  readonly root: string;
  readonly added: NewPermissions;
  /** Prints a note next to the diff, before the question. */
  readonly tell: (err: CommandIo['err']) => void;
  /** Additional fields for `--json`. */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Context extends Pick<CommandIo, 'out' | 'err' | 'stdin' | 'signal'> {
  readonly options: { readonly yes: boolean; readonly json: boolean };
}

const NOT_COUNTED =
  'Its rules that allow, and its mode, do not count yet: the file was there before and is not trusted yet. synapse projects trust shows it and asks.\n';

/** The configuration that a project has, or the one that it gets. */
function configurationIn(folder: string): string {
  const [jsonc, json] = [join(folder, 'config.jsonc'), join(folder, 'config.json')];
  return !existsSync(jsonc) && existsSync(json) ? json : jsonc;
}

/** Shows the change to a project's configuration, asks, and writes it. Then its rules are in force. */
export async function offerPermissions({ root, added, tell, facts }: Offer, context: Context): Promise<number> {
  const { out, err, options } = context;
  const stateFolder = defaultStateFolder();
  using projects = Projects.open(stateFolder);
  using file = await openSingleFile(configurationIn(join(root, '.synapse')), { folder: root, stateFolder });
  const before = textOf(file);
  const after = changePermissions(before, added, file.path, 'add');
  const changes = after !== before;
  // A repository may already contain this file: confirming the addition does not confirm the rest.
  const countedBefore = before.trim() === '' || projects.counts(root, before);
  const diff = changes ? diffOf(before, after) : '';
  const report = (done: boolean): void => {
    if (options.json) printJson(out, { ...facts, file: file.path, added, diff, done, counts: countedBefore && (done || !changes) });
  };
  if (!options.json) {
    err.write(`${file.path}${file.bytes === undefined ? ' (new)' : ''}\n`, 'bold');
    if (changes) err.write(`${diff}\n`);
    tell(err);
  }
  if (!changes) {
    if (!options.json) err.write(`It has all of it already; there is nothing to do.\n${countedBefore ? '' : NOT_COUNTED}`);
    report(false);
    return 0;
  }
  if (options.json && !options.yes) report(false);
  const no = await confirmOrFail('Write this?', 'nothing was changed', context);
  if (no !== undefined) return no;
  file.write(Buffer.from(after));
  if (countedBefore) projects.acceptConfiguration(root, after);
  report(true);
  if (!options.json)
    err.write(countedBefore ? 'Done. It applies from the next call on. synapse policy shows what is in force.\n' : `Done. ${NOT_COUNTED}`);
  return 0;
}
