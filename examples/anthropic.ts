// A tool loop with Anthropic's Messages API.
//
//   ANTHROPIC_API_KEY=… node examples/anthropic.ts "What does this project do?" [--stream]
//
// ANTHROPIC_BASE_URL and ANTHROPIC_MODEL name another server or model.
import Anthropic from '@anthropic-ai/sdk';
import { createHands } from '@synapse/hands';
import { handleAnthropic } from '@synapse/hands/providers';

const [task = 'What does this project do?', ...flags] = process.argv.slice(2);
const client = new Anthropic();
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: task }];
const tools = hands.tools('anthropic');
const model = process.env['ANTHROPIC_MODEL'] ?? 'claude-sonnet-5';

for (let round = 0; round < 10; round += 1) {
  const request = { model, max_tokens: 4_096, messages, tools };
  const message = flags.includes('--stream') ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
  const results = await handleAnthropic(hands, message);
  if (results.length === 0) {
    for (const block of message.content) if (block.type === 'text') process.stdout.write(`${block.text}\n`);
    break;
  }
  messages.push({ role: 'assistant', content: message.content }, ...results);
}
