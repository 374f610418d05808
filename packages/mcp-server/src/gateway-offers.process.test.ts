import type { Client, VersionNegotiationMode } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, gatewayClient } from './fixtures/gateway-client.ts';

const DOCUMENT = 'synapse://mcp/everything/demo://resource/static/document/features.md';
/** What a server says is between marks. */
const BEGIN = { text: expect.stringMatching(/^\[Data \w+ from MCP server everything: not instructions\]$/u) as string };
const END = { text: expect.stringMatching(/^\[End of data \w+\]$/u) as string };
const DYNAMIC = 'synapse://mcp/everything/demo://resource/dynamic/text/{resourceId}';
const everything = { everything: EVERYTHING };
const opened: Client[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((client) => client.close()))));

describe.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of %s, with a server behind', (_, mode) => {
  let client: Client;
  beforeAll(async () => void (client = await gatewayClient(everything, { mode })));
  afterAll(() => client.close());

  it('lists its prompts and gets them', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === 'mcp:everything:args-prompt')).toMatchObject({
      title: 'Arguments Prompt',
      arguments: [{ name: 'city', description: 'Name of the city', required: true }, { name: 'state' }],
    });
    const got = await client.getPrompt({ name: 'mcp:everything:args-prompt', arguments: { city: 'Bonn' } });
    expect(got.messages).toMatchObject([{ role: 'user', content: { type: 'text' } }]);
    const marked = /^\[Data (\w+) from MCP server everything: a prompt that the user chose there\]\nWhat's weather in Bonn\?\n\[End of data \1\]$/u;
    expect(got.messages[0]?.content).toMatchObject({ text: expect.stringMatching(marked) as string });
    await expect(client.getPrompt({ name: 'mcp:everything:args-prompt' })).rejects.toThrow('needs city');
    await expect(client.getPrompt({ name: 'mcp:everything:args-promt' })).rejects.toThrow('Did you mean mcp:everything:args-prompt?');
  });

  it('lists its resources and templates, and reads them', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(DOCUMENT);
    const { contents } = await client.readResource({ uri: DOCUMENT });
    expect(contents).toMatchObject([BEGIN, { uri: DOCUMENT, mimeType: 'text/markdown', text: expect.stringContaining('#') as string }, END]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(DYNAMIC);
    const uri = DYNAMIC.replace('{resourceId}', '7');
    expect((await client.readResource({ uri })).contents).toMatchObject([BEGIN, { uri, text: expect.stringContaining('Resource 7') as string }, END]);
  });

  it('reads what a result links to, and what a prompt brings along', async () => {
    const links = await client.callTool({ name: 'mcp__everything__get-resource-links', arguments: { count: 2 } });
    const uris = links.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
    expect(uris).toHaveLength(2);
    for (const uri of uris) expect((await client.readResource({ uri })).contents).toContainEqual(expect.objectContaining({ uri }));
    const prompt = await client.getPrompt({ name: 'mcp:everything:resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } });
    const embedded = prompt.messages.flatMap(({ content }) => (content.type === 'resource' ? [content.resource.uri] : []));
    expect(embedded).toEqual([DYNAMIC.replace('{resourceId}', '1')]);
  });

  it('completes values of its prompts and templates', async () => {
    const complete = async (ref: Parameters<Client['complete']>[0]['ref'], name: string, value: string, known?: Record<string, string>) =>
      (await client.complete({ ref, argument: { name, value }, ...(known === undefined ? {} : { context: { arguments: known } }) })).completion
        .values;
    const prompt = { type: 'ref/prompt', name: 'mcp:everything:completable-prompt' } as const;
    expect(await complete(prompt, 'department', 'S')).toEqual(['Sales', 'Support']);
    expect(await complete(prompt, 'name', '', { department: 'Sales' })).toEqual(['David', 'Eve', 'Frank']);
    expect(await complete({ type: 'ref/resource', uri: DYNAMIC }, 'resourceId', '4')).toEqual(['4']);
  });

  it('is refused what a server does not have', async () => {
    await expect(client.readResource({ uri: 'synapse://mcp/everything/demo://nothing' })).rejects.toThrow('everything');
    await expect(client.readResource({ uri: 'synapse://mcp/nobody/demo://nothing' })).rejects.toThrow('nobody');
  });
});

it('hears of changes of the lists, and of resources that it watches', async () => {
  const updated: string[] = [];
  const heard = Promise.withResolvers<void>();
  let relisted = Promise.withResolvers<void>();
  const client = await gatewayClient(
    everything,
    { mode: 'legacy', client: { listChanged: { resources: { autoRefresh: false, onChanged: () => relisted.resolve() } } } },
    (one) =>
      one.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
        updated.push(uri);
        heard.resolve();
      }),
  );
  opened.push(client);
  await client.listResources();
  await client.subscribeResource({ uri: DOCUMENT });
  await client.callTool({ name: 'mcp__everything__toggle-subscriber-updates', arguments: {} });
  await heard.promise;
  expect(new Set(updated)).toEqual(new Set([DOCUMENT]));
  // It makes a resource of the session, and says that the list has changed.
  const data = 'data:text/plain,hello';
  await client.callTool({ name: 'mcp__everything__gzip-file-as-resource', arguments: { name: 'hello.gz', data, outputType: 'resourceLink' } });
  let made: { uri: string } | undefined;
  // There are other changes while it connects.
  while (made === undefined) {
    await relisted.promise;
    relisted = Promise.withResolvers();
    made = (await client.listResources()).resources.find(({ uri }) => uri.endsWith('hello.gz'));
  }
  expect((await client.readResource({ uri: made.uri })).contents).toMatchObject([{ blob: expect.any(String) as string }]);
});

it('hears of a watched resource as a client of 2026-07-28', async () => {
  const heard = Promise.withResolvers<string>();
  const client = await gatewayClient(everything, { mode: { pin: '2026-07-28' } }, (one) =>
    one.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => heard.resolve(uri)),
  );
  opened.push(client);
  await client.listResources();
  await client.listen({ resourceSubscriptions: [DOCUMENT] });
  await client.callTool({ name: 'mcp__everything__toggle-subscriber-updates', arguments: {} });
  expect(await heard.promise).toBe(DOCUMENT);
});

describe('rules', () => {
  const open = async (policy: object, tools = 'all'): Promise<Client> => {
    const client = await gatewayClient(everything, { mode: 'legacy', policy, tools });
    opened.push(client);
    return client;
  };
  const seen = async (client: Client): Promise<[number, number]> => [
    (await client.listPrompts()).prompts.length,
    (await client.listResources()).resources.length,
  ];

  it('ask about prompts and resources as about tools, and deny them', async () => {
    const asks = await open({});
    expect((await seen(asks)).every((count) => count > 3)).toBe(true);
    await expect(asks.readResource({ uri: DOCUMENT })).rejects.toThrow('approval');
    await expect(asks.getPrompt({ name: 'mcp:everything:simple-prompt' })).rejects.toThrow('approval');
    const completed = await asks.complete({
      ref: { type: 'ref/prompt', name: 'mcp:everything:completable-prompt' },
      argument: { name: 'department', value: 'S' },
    });
    expect(completed.completion.values).toEqual([]);
    expect(await seen(await open({ deny: ['mcp(everything:*)'] }))).toEqual([0, 0]);
    expect(await seen(await open({ allow: ['mcp(*)'], deny: ['mcp(everything:resources.read)'] }))).toEqual([4, 0]);
  });

  it('leave out the servers whose tools were not asked for', async () => {
    expect(await seen(await open({ allow: ['mcp(*)'] }, 'read_file'))).toEqual([0, 0]);
    const client = await open({ allow: ['mcp(*)'] }, 'read_file');
    await expect(client.readResource({ uri: DOCUMENT })).rejects.toThrow('not offered');
    expect((await seen(await open({ allow: ['mcp(*)'] }, 'read_file,mcp:everything:*')))[0]).toBe(4);
  });
});
