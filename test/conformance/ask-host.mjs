// The client that the conformance suite starts: has `client-host.ts`, at the socket of the first argument, run it.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const [path, url] = process.argv.slice(2);
const socket = connect(path);
socket.end(JSON.stringify({ url, context: process.env.MCP_CONFORMANCE_CONTEXT ?? '{}' }));
const failure = await text(socket);
if (failure !== '') {
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}
