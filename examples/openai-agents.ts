// The OpenAI Agents SDK runs the loop and the tools itself.
//
//   OPENAI_API_KEY=… node examples/openai-agents.ts "What does this project do?" [--stream]
//
// OPENAI_BASE_URL and OPENAI_MODEL name another server or model.
import { Agent, run, setTracingDisabled } from '@openai/agents';
import { createHands } from '@synapse/hands';

const [prompt = 'What does this project do?', ...flags] = process.argv.slice(2);
// Else calls and what they read are sent to OpenAI's tracing.
setTracingDisabled(true);
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const agent = new Agent({
  name: 'coder',
  instructions: 'You work on the project in the workspace.',
  model: process.env['OPENAI_MODEL'] ?? 'gpt-5.2',
  tools: hands.tools('openai-agents'),
});
if (flags.includes('--stream')) {
  for await (const text of (await run(agent, prompt, { stream: true })).toTextStream()) process.stdout.write(text);
} else process.stdout.write(String((await run(agent, prompt)).finalOutput));
process.stdout.write('\n');
