import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { listProtocols, type ReasoningProtocol } from '@synapse/brain';
import type { Hands } from '@synapse/hands';
import { CONFIRMED } from '../input/confirm-or-fail.ts';
import { shownChanges } from './file-changes.ts';
import { bounded, fenced } from './plain-block.ts';

interface CommandPlace {
  readonly hands: Hands;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

interface OwnCommand {
  readonly description: string;
  /** Returns what to show. */
  readonly run: (place: CommandPlace) => Promise<string>;
}

/** The commands that are no protocols. */
const COMMANDS: Readonly<Record<string, OwnCommand>> = {
  undo: {
    description: 'Take back the last change of this session',
    async run({ hands, sessionId, signal }) {
      const undone = await hands.undo({ session: sessionId, last: 1 }, { approver: CONFIRMED, signal });
      return undone.ok ? undone.output : undone.error.message;
    },
  },
  changes: {
    description: 'Show what this session changed',
    async run({ hands, sessionId }) {
      const changes = await hands.changes({ session: sessionId });
      if (changes.length === 0) return 'Nothing was changed.';
      const { notes } = shownChanges(changes, hands.workspace);
      const diffs = changes.flatMap(({ diff }) => (diff === undefined ? [] : [diff]));
      return [
        ...(notes.length === 0 ? [] : [fenced(notes.join('\n'))]),
        ...(diffs.length === 0 ? [] : [fenced(bounded(diffs.join('\n')), 'diff')]),
      ].join('\n');
    },
  },
};

const NAMED = /^\/(?<name>[\w-]+)(?:\s+(?<rest>[\s\S]*))?$/u;

/** What a prompt asks for that begins with `/`. */
export type SlashCommand =
  | { readonly kind: 'own'; readonly run: OwnCommand['run'] }
  | { readonly kind: 'protocol'; readonly protocol: ReasoningProtocol; readonly task: string | undefined };

/** The slash commands of a workspace, for the editor's menu. */
export async function availableCommands(workspace: string): Promise<AvailableCommand[]> {
  const { protocols } = await listProtocols(workspace);
  return [
    ...Object.entries(COMMANDS).map(([name, { description }]) => ({ name, description })),
    ...protocols
      .filter(({ id }) => !Object.hasOwn(COMMANDS, id))
      .map(({ id, title, description }) => ({ name: id, description: `${title}: ${description}`, input: { hint: 'what to do, or nothing' } })),
  ];
}

/** Whether a prompt is a command that the model does not see. */
export function isOwnCommand(prompt: string): boolean {
  return Object.hasOwn(COMMANDS, NAMED.exec(prompt)?.groups?.['name'] ?? '');
}

/** Finds the command of a prompt; undefined if it is not one. A path may begin with `/`, too. */
export async function findCommand(prompt: string, workspace: string): Promise<SlashCommand | undefined> {
  const { name, rest = '' } = NAMED.exec(prompt)?.groups ?? {};
  if (name === undefined) return undefined;
  const own = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (own !== undefined) return { kind: 'own', run: own.run };
  const { protocols } = await listProtocols(workspace);
  const protocol = protocols.find(({ id }) => id === name);
  return protocol === undefined ? undefined : { kind: 'protocol', protocol, task: rest.trim() === '' ? undefined : rest.trim() };
}
