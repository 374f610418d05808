import type { Approver } from '@synapse/hands';
import type { CallResult } from '@synapse/protocol';
import * as z from 'zod';
import type { AgentRun } from '../agent/agent-run.ts';
import { visibleText } from '../output/visible-text.ts';
import { COMMAND_NAMES } from './chat-commands.ts';

/** Names that are offered at most. */
const MAX_OFFERED = 100;

const Listing = z.object({ entries: z.array(z.object({ name: z.string(), type: z.string() })) });
const NAMED = /(?:^|\s)(?<word>@(?<quote>"?)(?<path>[^"\s]*|(?<=@")[^"]*))$/u;

/** Lists a folder by the policy that holds for the model. */
export type ListFolder = (input: { readonly path: string; readonly hidden: boolean }) => Promise<CallResult>;

/** A key that completes must not ask a question: its answer would be what is being typed. */
const NO_QUESTIONS: Approver = {
  name: 'completion',
  ask: async () => ({ verdict: 'deny', reason: 'Completion asks no questions.' }),
};

/** Lists folders of a run. What the policy would ask about is not listed. */
export function listingOf(agent: Pick<AgentRun, 'call'>, signal: AbortSignal): ListFolder {
  return (input) => agent.call('list_directory', input, signal, NO_QUESTIONS);
}

/**
 * Completes the end of a line: commands of the chat, and paths after `@`.
 *
 * @returns the words that fit, and the part of the line that they replace
 */
export async function completeLine(line: string, list: ListFolder): Promise<[words: string[], replaced: string]> {
  if (/^\/\S*$/u.test(line)) return [COMMAND_NAMES.filter((name) => name.startsWith(line)), line];
  const { word = '', quote = '', path = '' } = NAMED.exec(line)?.groups ?? {};
  if (word === '') return [[], line];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const begin = path.slice(folder.length);
  const result = await list({ path: folder === '' ? '.' : folder, hidden: begin.startsWith('.') });
  const { data } = Listing.safeParse(result.ok ? result.data : undefined);
  const words = (data?.entries ?? [])
    // The line editor writes names to the terminal as they are.
    .filter(({ name }) => name.startsWith(begin) && visibleText(name) === name && !/["\n\t]/u.test(name))
    .slice(0, MAX_OFFERED)
    .map(({ name, type }) => {
      const whole = `${folder}${name}${type === 'directory' ? '/' : ''}`;
      return quote !== '' || whole.includes(' ') ? `@"${whole}${type === 'directory' ? '' : '"'}` : `@${whole}`;
    });
  return [words, word];
}
