import { defaultStateFolder, knownId, Quarantine, type QuarantinedItem } from '@synapse/hands/internal';
import { columns } from '../output/columns.ts';
import { branch } from '../command/branch-option.ts';
import { defineCommand, type Command, type CommandHelp } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { confirmOrThrow } from '../input/confirm-or-fail.ts';
import { printJson } from '../output/print-json.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

/** A row for a quarantined item, with its id. */
export function itemRow({ id, time, path, reason, detail }: QuarantinedItem): string[] {
  return [id, time.slice(0, 16).replace('T', ' '), path, `${reason}: ${detail}`];
}

interface QuarantineCommand {
  readonly details?: string;
  readonly examples: CommandHelp['examples'];
  readonly question: string;
  /** The message after a no. */
  readonly nothing: string;
  readonly done: string;
  readonly edit: (quarantine: Quarantine, id: string) => QuarantinedItem;
}

/** Defines a command on one quarantined item. It shows the item and asks first. */
export function quarantineCommand({ question, nothing, done, edit, ...help }: QuarantineCommand): Command {
  return defineCommand({
    ...help,
    arguments: { '<id>': 'as `synapse quarantine` shows it, or its beginning' },
    options: { workspace, branch, yes, json },
    async run(context) {
      const { arguments: words, options, out, err } = context;
      const quarantine = new Quarantine(defaultStateFolder(), workspaceRoot(options.workspace));
      const known = quarantine.list().map(({ id }) => id);
      const item = quarantine.get(knownId(words.id, known, { what: 'file in quarantine', list: 'synapse quarantine lists what is kept.' }));
      if (!options.json) err.write(columns([itemRow(item)]));
      await confirmOrThrow(question, nothing, context);
      const result = edit(quarantine, item.id);
      if (options.json) printJson(out, result);
      else err.write(`${done}\n`);
      return 0;
    },
  });
}
