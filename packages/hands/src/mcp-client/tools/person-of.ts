import type { ToolContext } from '../../tool/tool-context.ts';
import type { FilledForm, PersonForm } from '@synapse/protocol';
import { displayText } from '../../workspace/byte-name.ts';
import type { RemoteCall } from '../connection/connection.ts';

/** Maximum number of characters of an unanswered question in its note. */
const MAX_TOLD = 200;

/** Returns the user of a call, for questions of a server. */
export function personOf(
  ctx: Pick<ToolContext, 'fillForm'>,
  whose: Pick<PersonForm, 'server' | 'tool'>,
): Pick<RemoteCall, 'fill'> & { note(): { note?: string } } {
  const unanswered: string[] = [];
  return {
    async fill({ checked, ...question }) {
      const given = await ctx.fillForm({ ...whose, ...question });
      const content = given.action === 'accept' ? checked(given.content) : undefined;
      const filled: FilledForm = given.action !== 'accept' ? given : content === undefined ? { action: 'cancel' } : { action: 'accept', content };
      if (filled.action === 'cancel') unanswered.push(displayText(question.message.replaceAll(/\s+/gu, ' ').slice(0, MAX_TOLD).toWellFormed()));
      return filled;
    },
    note() {
      const [first] = unanswered;
      if (first === undefined) return {};
      return { note: `The MCP server ${whose.server} asked its person, and was not answered: ${JSON.stringify(first)}` };
    },
  };
}
