import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

/** The server's response to one request. */
export type Scripted =
  | { readonly kind: 'text'; readonly text: string }
  /** `input` is sent unchanged: models may write invalid JSON. */
  | { readonly kind: 'calls'; readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[] }
  | { readonly kind: 'status'; readonly status: number; readonly message: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks after the first words. */
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'refusal' };

const Body = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown(), tool_calls: z.array(z.looseObject({ id: z.string() })).optional() })),
  tools: z.array(z.unknown()).optional(),
});
export type ChatBody = z.infer<typeof Body>;

/** A server for streaming chat completions. */
export interface ChatServer extends AsyncDisposable {
  /** Includes `/v1`. */
  readonly url: string;
  readonly requests: readonly ChatBody[];
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

function send(response: ServerResponse, delta: unknown, finish: string | null = null, usage?: unknown): void {
  const chunk = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
  response.write(`data: ${JSON.stringify(usage === undefined ? chunk : { ...chunk, usage })}\n\n`);
}

function answer(response: ServerResponse, scripted: Scripted): void {
  if (scripted.kind === 'status') {
    response.writeHead(scripted.status, { 'content-type': 'application/json', ...scripted.headers });
    response.end(JSON.stringify({ error: { message: scripted.message, type: 'error' } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send(response, { role: 'assistant', content: '' });
  if (scripted.kind === 'cut') {
    send(response, { content: scripted.text });
    // The first part must be sent before the connection breaks.
    setImmediate(() => response.destroy());
    return;
  }
  if (scripted.kind === 'text') for (const piece of scripted.text.match(/[\s\S]{1,9}/gu) ?? []) send(response, { content: piece });
  if (scripted.kind === 'calls') {
    for (const [index, { id, name, input }] of scripted.calls.entries()) {
      send(response, { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
      send(response, { tool_calls: [{ index, function: { arguments: input } }] });
    }
  }
  const finish = { text: 'stop', calls: 'tool_calls', refusal: 'content_filter' }[scripted.kind];
  send(response, {}, finish, USAGE);
  response.end('data: [DONE]\n\n');
}

/** @param script returns the model's response, by the request and the number of earlier ones */
export async function startChatServer(script: (body: ChatBody, index: number) => Scripted | Promise<Scripted>): Promise<ChatServer> {
  const requests: ChatBody[] = [];
  const server = createServer((request, response) => {
    const work = async (): Promise<void> => {
      const body = Body.parse(JSON.parse(await text(request)));
      requests.push(body);
      answer(response, await script(body, requests.length - 1));
    };
    work().catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
