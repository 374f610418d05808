import { SessionStore } from '@synapse/brain';
import { defaultStateFolder } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';

export const command = defineCommand({
  details: 'Prints JSON Lines: the session first, then each message as the model saw it.',
  arguments: { '<session>': 'its id, as `synapse sessions` shows it, or its beginning' },
  options: {},
  examples: [['synapse sessions export s-1a2b3c4d > session.jsonl', 'keep it']],
  async run({ arguments: { session }, out }) {
    using store = SessionStore.open(defaultStateFolder());
    const record = store.named(session);
    out.write(`${JSON.stringify({ type: 'session', ...record })}\n`);
    for (const message of store.messages(record.id)) out.write(`${JSON.stringify({ type: 'message', ...message })}\n`);
    return 0;
  },
});
