// The AI SDK runs the loop and the tools itself; any of its providers will do. The same with versions 5, 6 and 7.
//
//   OPENAI_API_KEY=… node examples/ai-sdk.ts "What does this project do?" [--stream]
//
// OPENAI_BASE_URL and OPENAI_MODEL name another server or model.
import { createOpenAI } from '@ai-sdk/openai';
import { createHands } from '@synapse/hands';
import { generateText, stepCountIs, streamText } from 'ai';

const [prompt = 'What does this project do?', ...flags] = process.argv.slice(2);
const openai = createOpenAI();
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const request = {
  model: openai(process.env['OPENAI_MODEL'] ?? 'gpt-5.2'),
  tools: hands.tools('ai-sdk'),
  stopWhen: stepCountIs(10),
  prompt,
};
if (flags.includes('--stream')) for await (const text of streamText(request).textStream) process.stdout.write(text);
else process.stdout.write((await generateText(request)).text);
process.stdout.write('\n');
