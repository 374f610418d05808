// A tool loop with OpenAI's Chat Completions, or any server that speaks them.
//
//   OPENAI_API_KEY=… node examples/openai-chat.ts "What does this project do?" [--stream]
//
// OPENAI_BASE_URL and OPENAI_MODEL name another server or model.
import { createHands } from '@synapse/hands';
import { handleOpenAiChat } from '@synapse/hands/providers';
import OpenAI from 'openai';

const [task = 'What does this project do?', ...flags] = process.argv.slice(2);
const client = new OpenAI();
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: task }];
const tools = hands.tools('openai-strict');
const model = process.env['OPENAI_MODEL'] ?? 'gpt-5.2';

for (let round = 0; round < 10; round += 1) {
  const request = { model, messages, tools };
  const completion = flags.includes('--stream')
    ? await client.chat.completions.stream(request).finalChatCompletion()
    : await client.chat.completions.create(request);
  const message = completion.choices[0]?.message;
  const results = await handleOpenAiChat(hands, completion);
  if (message === undefined || results.length === 0) {
    process.stdout.write(`${message?.content ?? ''}\n`);
    break;
  }
  messages.push(message, ...results);
}
