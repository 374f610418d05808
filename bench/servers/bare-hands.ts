// A machine that answers each message with the requested number of bytes, after committing the answer to SQLite.
import { DatabaseSync } from 'node:sqlite';
import { WebSocket } from 'ws';

const [url = '', file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(
  'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE calls (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT',
);
const insert = database.prepare('INSERT OR REPLACE INTO calls VALUES (?, ?)');
const socket = new WebSocket(url, { perMessageDeflate: false });
let queue: Array<{ readonly id: string; readonly size: number }> = [];

function flush(): void {
  const calls = queue;
  queue = [];
  const answers = calls.map(({ id, size }) => JSON.stringify({ id, text: 'x'.repeat(size) }));
  database.exec('BEGIN');
  for (const [index, { id }] of calls.entries()) insert.run(id, answers[index] ?? '');
  database.exec('COMMIT');
  for (const answer of answers) socket.send(answer);
}

socket.on('open', () => process.stdout.write('ready\n'));
socket.on('message', (data: Buffer) => {
  if (queue.length === 0) setImmediate(flush);
  queue.push(JSON.parse(data.toString('utf8')) as { id: string; size: number });
});
