// The minimum cost of a relay: it commits each message to SQLite, then forwards it.
import { DatabaseSync } from 'node:sqlite';
import { WebSocketServer, type WebSocket } from 'ws';

const [file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file);
// The settings of Synapse's relay.
database.exec(
  'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
);
const insert = database.prepare('INSERT INTO messages (text) VALUES (?)');
const sockets: WebSocket[] = [];
let queue: Array<readonly [to: WebSocket | undefined, text: string]> = [];

/** Commits the messages of one turn together. */
function flush(): void {
  const sent = queue;
  queue = [];
  database.exec('BEGIN');
  for (const [, text] of sent) insert.run(text);
  database.exec('COMMIT');
  for (const [to, text] of sent) to?.send(text);
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('listening', () => {
  const address = server.address();
  process.stdout.write(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
server.on('connection', (socket) => {
  const own = sockets.push(socket) - 1;
  // Forwards to the other of two connections.
  socket.on('message', (data: Buffer) => {
    if (queue.length === 0) setImmediate(flush);
    queue.push([sockets[own === 0 ? 1 : 0], data.toString('utf8')]);
  });
});
