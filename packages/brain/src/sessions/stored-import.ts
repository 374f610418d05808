import type { DatabaseSync } from 'node:sqlite';
import { RecordedSession, type SessionFile } from './session-file.ts';
import { recordedCalls } from './recorded-calls.ts';

export const IMPORT_SCHEMA = `
CREATE TABLE IF NOT EXISTS imports (
  session TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, recorded TEXT NOT NULL
) STRICT;
`;

/** Puts a session of a file into a database, in a transaction of the caller. */
export function insertImport(database: DatabaseSync, { session, recorded, messages }: SessionFile, id: string, workspace: string): void {
  // Neither an address nor another machine: its file may be from anywhere.
  const { model, protocol, dialect, task } = session;
  const setup = { workspace, model, protocol, dialect, task, importedFrom: session.workspace };
  database
    .prepare('INSERT INTO sessions (id, workspace, setup, status, created, updated) VALUES (?, ?, ?, ?, ?, ?)')
    .run(id, workspace, JSON.stringify(setup), session.status, session.createdAt, session.updatedAt);
  const insert = database.prepare('INSERT INTO messages (session, generation, seq, message) VALUES (?, 0, ?, ?)');
  for (const [index, message] of messages.entries()) insert.run(id, index, JSON.stringify(message));
  const own = (call: string): string => (call.startsWith(`${session.id}:`) ? id + call.slice(session.id.length) : call);
  const calls = recorded?.calls.map((call) => ({ ...call, id: own(call.id) }));
  const tools = new Map(recordedCalls(id, messages).map((call) => [call.id, call.tool]));
  const note = database.prepare(`INSERT OR IGNORE INTO calls (session, id, tool, message) VALUES (?, ?, ?, '')`);
  for (const call of calls?.map((one) => one.id) ?? tools.keys()) note.run(id, call, tools.get(call) ?? '');
  const kept: RecordedSession = { ...recorded, calls: calls ?? [...tools.keys()].map((call) => ({ id: call })) };
  database.prepare('INSERT INTO imports (session, recorded) VALUES (?, ?)').run(id, JSON.stringify(kept));
}

/** What was imported with a session; undefined for one of this machine. */
export function importedRecord(database: DatabaseSync, id: string): RecordedSession | undefined {
  const text = database.prepare('SELECT recorded FROM imports WHERE session = ?').get(id)?.['recorded'];
  return typeof text === 'string' ? RecordedSession.parse(JSON.parse(text)) : undefined;
}
