import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createHands } from '@synapse/hands';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { measure, NOT_MEASURED } from '../measure.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const server = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url));
const GROUP = 'MCP client over stdio, against the bare SDK client; the same server, each its own process';

/** Maximum milliseconds for policy, audit record, journal and limits on top of a round trip. */
const MAX_ADDED_MS = 0.5;

/** Measures the cost of an upstream tool beyond the round trip of the SDK's client. */
export async function mcpClientCases({ folder, state }: Scratch): Promise<Row[]> {
  await using hands = await createHands({
    workspace: folder,
    stateFolder: join(state, 'mcp-client'),
    configFolder: join(state, 'no-configuration'),
    allow: ['exec'],
    mcp: { files: false, servers: { everything: { command: process.execPath, args: [server] } } },
  });
  const bare = new Client({ name: 'bench', version: '1' });
  await bare.connect(new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'ignore' }));
  try {
    const [mine = NOT_MEASURED, peer = NOT_MEASURED] = await measure(
      [
        {
          name: 'ours',
          run: async () => {
            const result = await hands.call('mcp:everything:echo', { message: 'hello' });
            if (!result.ok) throw new Error(result.error.message);
          },
        },
        { name: 'peer', run: () => bare.callTool({ name: 'echo', arguments: { message: 'hello' } }) },
      ],
      { rounds: 20, perRound: 100 },
    );
    const added = mine.median - peer.median;
    return [
      {
        group: GROUP,
        what: 'a trivial call',
        ours: `${time(mine.median)} (p99 ${time(mine.p99)})`,
        peer: `${time(peer.median)} (p99 ${time(peer.p99)})`,
        compared: `${(peer.median / mine.median).toFixed(2)}× the calls, ${time(added)} more each`,
        target: `at most ${MAX_ADDED_MS} ms more`,
        met: added <= MAX_ADDED_MS,
      },
    ];
  } finally {
    await bare.close();
  }
}
