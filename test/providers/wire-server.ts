import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { anthropicWire } from './anthropic-wire.ts';
import { geminiWire } from './gemini-wire.ts';
import { openAiChatWire } from './openai-chat-wire.ts';
import { openAiResponsesWire } from './openai-responses-wire.ts';
import { ROUNDS, turn } from './scenario.ts';
import { Refusal } from './wire.ts';

/** A server for the providers' APIs with a scripted model. */
export interface WireServer extends AsyncDisposable {
  /** Without a path or a trailing slash. */
  readonly url: string;
  /** Refused requests, and all requests. */
  readonly refusals: readonly string[];
  readonly requests: readonly string[];
}

/** Starts a server on a free local port that refuses what the real APIs refuse. */
export async function startWireServer({ geminiIds = true }: { geminiIds?: boolean } = {}): Promise<WireServer> {
  const wires = [openAiChatWire, openAiResponsesWire, anthropicWire, geminiWire(geminiIds)];
  const refusals: string[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      requests.push(path);
      const body: unknown = JSON.parse(await text(request));
      for (const wire of wires) {
        const route = wire.route(path, body);
        if (route === undefined) continue;
        try {
          const conversation = wire.read(body);
          const reply = wire.reply(turn(conversation.turns, conversation.results, conversation.rounds ?? ROUNDS), conversation);
          response.writeHead(200, { 'content-type': route.stream ? 'text/event-stream' : 'application/json' });
          if (route.stream) for (const part of wire.events(reply)) response.write(part);
          response.end(route.stream ? undefined : JSON.stringify(reply));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refusals.push(error.message);
          response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(wire.refusal(error.message)));
        }
        return;
      }
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such path"}}');
    };
    answer().catch((error: unknown) => {
      refusals.push(String(error));
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    refusals,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
