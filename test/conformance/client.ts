import { createHands, type Hands } from '@synapse/hands';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

/** What the suite gives a client by its environment. */
const Context = z.looseObject({
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
});

/** Returns an example value for any field. */
function example(schema: unknown): unknown {
  const {
    type,
    default: given,
    enum: [first] = [],
  } = z.looseObject({ type: z.string().optional(), default: z.unknown().optional(), enum: z.array(z.unknown()).optional() }).parse(schema);
  if (given !== undefined || first !== undefined) return given ?? first;
  return { string: 'text', number: 1, integer: 1, boolean: true, array: [], object: {} }[type ?? 'string'];
}

/** Returns every tool, with a value for each of its fields. */
function everyTool(hands: Hands): Array<{ name: string; input: Record<string, unknown> }> {
  const tools = hands.tools('json-schema').filter(({ name }) => name.startsWith('mcp:'));
  return tools.map(({ name, inputSchema }) => {
    const { properties = {} } = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }).parse(inputSchema);
    return { name, input: Object.fromEntries(Object.entries(properties).map(([field, schema]) => [field, example(schema)])) };
  });
}

/**
 * The client of the conformance suite: hands with the suite's server, which call all tools, or those the suite names.
 * All questions are answered with yes, and the browser follows every redirect.
 */
export async function runClient(url: string, context: string, signal: AbortSignal): Promise<void> {
  const { client_id: clientId, client_secret: clientSecret, toolCalls } = Context.parse(JSON.parse(context));
  const oauth = { ...(clientId === undefined ? {} : { clientId }), ...(clientSecret === undefined ? {} : { clientSecret }) };
  const base = mkdtempSync(join(tmpdir(), 'synapse-conformance-client-'));
  await using hands = await createHands({
    workspace: base,
    stateFolder: `${base}-state`,
    configFolder: `${base}-config`,
    policy: { allow: ['mcp(*)'] },
    approver: { name: 'suite', ask: async () => ({ verdict: 'allow', scope: 'once' }), fill: async () => ({ action: 'accept', content: {} }) },
    // On a machine that stands still, a server must not look silent.
    mcp: { files: false, connect: 'demand', connectTimeoutMs: 90_000, servers: { suite: { url, oauth } } },
  });
  const open = (address: string): void => void fetch(address).catch(() => {});
  const logIn = () => hands.mcp.logIn('suite', { open, signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) });

  let status = await hands.mcp.test('suite');
  // A server may require more than the first login covered, or a login elsewhere.
  for (let logins = 0; logins < 3 && status.reason?.includes('log in') === true; logins += 1) status = await logIn();
  if (status.state !== 'ready') throw new Error(status.reason ?? status.state);

  const calls = toolCalls?.map((call) => ({ name: `mcp:suite:${call.name}`, input: call.arguments })) ?? everyTool(hands);
  for (const { name, input } of calls) {
    const result = await hands.call(name as 'read_file', input, { signal });
    // A tool may require more than the login covered.
    if (!result.ok && result.error.hint?.includes('mcp login') === true) {
      await logIn();
      await hands.call(name as 'read_file', input, { signal });
    }
  }
}
