// A LangChain agent runs the loop and the tools itself; any of its chat models will do.
//
//   OPENAI_API_KEY=… node examples/langchain.ts "What does this project do?" [--stream]
//
// OPENAI_BASE_URL and OPENAI_MODEL name another server or model.
import { AIMessageChunk } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createHands } from '@synapse/hands';
import { createAgent } from 'langchain';

const [prompt = 'What does this project do?', ...flags] = process.argv.slice(2);
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const agent = createAgent({
  model: new ChatOpenAI({ model: process.env['OPENAI_MODEL'] ?? 'gpt-5.2' }),
  tools: hands.tools('langchain').map((each) => tool(each.execute, each)),
});
const input = { messages: [{ role: 'user', content: prompt }] };
if (flags.includes('--stream')) {
  for await (const [message] of await agent.stream(input, { streamMode: 'messages' })) {
    if (message instanceof AIMessageChunk) process.stdout.write(message.text);
  }
} else process.stdout.write((await agent.invoke(input)).messages.at(-1)?.text ?? '');
process.stdout.write('\n');
