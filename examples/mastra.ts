// A Mastra agent runs the loop and the tools itself; any model that Mastra takes will do.
//
//   OPENAI_API_KEY=… node examples/mastra.ts "What does this project do?" [--stream]
//
// OPENAI_BASE_URL and OPENAI_MODEL name another server or model.
import { Agent } from '@mastra/core/agent';
import { createHands } from '@synapse/hands';

const url = process.env['OPENAI_BASE_URL'];
const [prompt = 'What does this project do?', ...flags] = process.argv.slice(2);
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const agent = new Agent({
  id: 'coder',
  name: 'coder',
  instructions: 'You work on the project in the workspace.',
  model: { providerId: 'openai', modelId: process.env['OPENAI_MODEL'] ?? 'gpt-5.2', ...(url === undefined ? {} : { url }) },
  // This kind of model takes no images in results.
  tools: hands.tools('ai-sdk', { images: false }),
});
if (flags.includes('--stream')) for await (const text of (await agent.stream(prompt, { maxSteps: 10 })).textStream) process.stdout.write(text);
else process.stdout.write((await agent.generate(prompt, { maxSteps: 10 })).text);
process.stdout.write('\n');
