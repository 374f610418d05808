import { defaultStateFolder, Quarantine, type QuarantinedItem } from '@synapse/hands';
import { columns } from '../columns.ts';
import type { CommandAction, CommandContext } from '../command.ts';
import { declined } from '../declined.ts';
import { visibleJson } from '../visible-text.ts';
import { workspaceRoot } from '../workspace-root.ts';
import { itemRow } from './quarantine-list.ts';

interface Edit {
  readonly question: string;
  readonly nothing: string;
  readonly done: string;
  readonly run: (quarantine: Quarantine, id: string) => QuarantinedItem;
}

async function edit(context: CommandContext, { question, nothing, done, run }: Edit): Promise<number> {
  const { options, out, err } = context;
  const [id = ''] = context.arguments;
  const quarantine = new Quarantine(defaultStateFolder(), workspaceRoot(options.workspace));
  const item = quarantine.get(id);
  if (!options.json) err.write(columns([itemRow(item)]));
  const no = await declined(question, nothing, context);
  if (no !== undefined) return no;
  const result = run(quarantine, id);
  if (options.json) out.write(`${visibleJson(JSON.stringify(result, null, out.isTerminal ? 2 : 0))}\n`);
  else err.write(`${done}\n`);
  return 0;
}

/** Puts something back, once a person has seen what it is. */
export const quarantineRestore: CommandAction = (context) =>
  edit(context, {
    question: 'Put it back?',
    nothing: 'nothing was put back',
    done: 'It is back where it was.',
    run: (quarantine, id) => quarantine.restore(id),
  });

/** Deletes something for good, once a person has seen what it is. */
export const quarantineDiscard: CommandAction = (context) =>
  edit(context, {
    question: 'Delete it for good?',
    nothing: 'nothing was deleted',
    done: 'It is deleted.',
    run: (quarantine, id) => quarantine.discard(id),
  });
