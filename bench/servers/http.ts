// An HTTP server that prints its URL: `raw` only parses JSON-RPC, the other runs the whole pipeline, with a tool that reads nothing.
import { createServer } from 'node:http';
import { createHands, defineTool } from '@synapse/hands';
import { runMcpHttpServer } from '@synapse/mcp-server';
import * as z from 'zod';

const [kind = 'raw', workspace = '.', stateFolder = '', token = ''] = process.argv.slice(2);
const text = 'x'.repeat(2_000);

if (kind === 'raw') {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number };
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'raw' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}/mcp\n`);
  });
} else {
  const echo = defineTool({
    name: 'echo',
    title: 'Echo',
    description: 'Gives a text.',
    effects: 'read',
    input: z.strictObject({}),
    output: z.strictObject({}),
    permission: () => [],
    timeoutMs: 1_000,
    keep: 'head',
    summarize: () => 'echo',
    execute: async () => ({ data: {}, content: text }),
  });
  const hands = await createHands({ workspace, stateFolder, tools: [echo] });
  await runMcpHttpServer({ hands, name: 'http', version: '1.0.0', token, port: 0, onListening: (url) => void process.stdout.write(`${url}\n`) });
}
