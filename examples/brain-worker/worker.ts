// A brain on a Cloudflare Worker: a model that works with the tools of a machine far away. README.md says how to deploy it.
import { createOpenAI } from '@ai-sdk/openai';
import { connectHands } from '@synapse/remote/brain';
import { isStepCount, streamText } from 'ai';

/** What `wrangler.jsonc` names, and `wrangler secret` sets. */
interface Environment {
  readonly RELAY: string;
  readonly OPENAI_MODEL: string;
  readonly OPENAI_BASE_URL?: string;
  readonly OPENAI_API_KEY: string;
  /** What `synapse pair --print-credentials` printed. */
  readonly CREDENTIALS: string;
  /** The token of the callers that may give tasks to this Worker. */
  readonly ACCESS_TOKEN: string;
}

/** Hashes have one length, and how long it takes to compare them tells nothing about the token. */
async function isAllowed(request: Request, { ACCESS_TOKEN }: Environment): Promise<boolean> {
  const hash = async (text: string): Promise<string> => String(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
  const given = request.headers.get('authorization') ?? '';
  return ACCESS_TOKEN.length >= 32 && (await hash(given)) === (await hash(`Bearer ${ACCESS_TOKEN}`));
}

async function answer(request: Request, environment: Environment): Promise<Response> {
  if (!(await isAllowed(request, environment))) return new Response('Not authorized.\n', { status: 401 });
  if (request.method !== 'POST') return new Response('Send a task with POST.\n', { status: 405 });
  const { RELAY, CREDENTIALS, OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, OPENAI_MODEL } = environment;
  await using hands = connectHands(RELAY, { credentials: CREDENTIALS });
  // `npx wrangler tail` shows why a call waits.
  hands.subscribe((event) => {
    const text = event.type === 'line' ? event.text : event.type === 'machine' && !event.online ? 'The machine is not connected.' : undefined;
    // oxlint-disable-next-line no-console -- the log of a Worker
    if (text !== undefined) console.log(text);
  });
  const openai = createOpenAI({ apiKey, ...(baseURL === undefined ? {} : { baseURL }) });
  const { text } = streamText({
    model: openai.chat(OPENAI_MODEL),
    tools: await hands.tools('ai-sdk'),
    stopWhen: isStepCount(20),
    prompt: await request.text(),
  });
  return new Response(`${await text}\n`);
}

export default { fetch: answer };
