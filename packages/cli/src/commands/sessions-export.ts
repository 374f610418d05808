import { recordedCalls, SessionStore, sessionLines, type RecordedSession, type SessionRecord } from '@synapse/brain';
import { defaultStateFolder, redactor, secretValues } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { recordedStart } from '../replay/recorded-start.ts';
import { auditedCalls, factsOf } from '../replay/recording.ts';

/** What a replay needs of a session. */
function recordedOf(store: SessionStore, session: SessionRecord): RecordedSession {
  const imported = store.imported(session.id);
  if (imported !== undefined) return imported;
  const audited = session.remote === undefined ? auditedCalls(session) : [];
  const facts = factsOf(audited);
  const calls = store.calls(session.id).map(({ id }) => {
    const known = facts.get(id);
    return known === undefined ? { id } : { id, facts: known };
  });
  const start = session.remote === undefined ? recordedStart(session, audited, recordedCalls(session.id, store.messages(session.id))) : undefined;
  return { calls, ...(start === undefined ? {} : { start }) };
}

export const command = defineCommand({
  details: 'Prints JSON Lines, without secrets: the session first, with what a replay needs, then each message as the model saw it.',
  arguments: { '<session>': 'its id, as `synapse sessions` shows it, or its beginning' },
  options: {},
  examples: [
    ['synapse sessions export s-1a2b3c4d > session.jsonl', 'keep it'],
    ['synapse sessions import session.jsonl -w .', 'elsewhere: to see it, and to replay it'],
  ],
  showsRecords: true,
  async run({ arguments: { session }, out }) {
    using store = SessionStore.open(defaultStateFolder());
    const record = store.named(session);
    const redact = redactor(secretValues(process.env));
    for (const line of sessionLines(record, recordedOf(store, record), store.messages(record.id), redact)) out.write(`${line}\n`);
    return 0;
  },
});
