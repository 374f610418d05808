import { SessionStore } from '@synapse/brain';
import { defaultStateFolder } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { visibleText } from '../output/visible-text.ts';

type Message = ReturnType<SessionStore['messages']>[number];

/** Maximum characters of a result; the export contains all of it. */
const SHOWN = 600;

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()} … ${text.length - SHOWN} more characters` : text;
}

function lines(message: Message): string[] {
  if (message.role === 'system') return [];
  return message.content.flatMap((part) => {
    if (part.type === 'text') return [`${message.role === 'user' ? '> ' : ''}${part.text}`];
    if (part.type === 'tool-call') return [`→ ${part.toolName} ${cut(JSON.stringify(part.input))}`];
    if (part.type !== 'tool-result') return [];
    const { output } = part;
    return [`← ${cut(output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output))}`];
  });
}

export const command = defineCommand({
  arguments: { '<session>': 'its id, as `synapse sessions` shows it, or its beginning' },
  options: { json },
  examples: [['synapse sessions show s-1a2b3c4d', 'what was said and done']],
  showsRecords: true,
  async run({ arguments: { session }, options, out }) {
    using store = SessionStore.open(defaultStateFolder());
    const record = store.named(session);
    const messages = store.messages(record.id);
    if (options.json) printJson(out, { session: record, messages });
    else for (const line of messages.flatMap(lines)) out.write(`${out.isTerminal ? visibleText(line) : line}\n`);
    return 0;
  },
});
