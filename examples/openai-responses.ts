// A tool loop with OpenAI's Responses API.
//
//   OPENAI_API_KEY=… node examples/openai-responses.ts "What does this project do?" [--stream]
//
// OPENAI_BASE_URL and OPENAI_MODEL name another server or model.
import { createHands } from '@synapse/hands';
import { handleOpenAiResponses } from '@synapse/hands/providers';
import OpenAI from 'openai';

const [task = 'What does this project do?', ...flags] = process.argv.slice(2);
const client = new OpenAI();
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: task }];
const tools = hands.tools('openai-responses');
const model = process.env['OPENAI_MODEL'] ?? 'gpt-5.2';

for (let round = 0; round < 10; round += 1) {
  const request = { model, input, tools };
  const response = flags.includes('--stream') ? await client.responses.stream(request).finalResponse() : await client.responses.create(request);
  const results = await handleOpenAiResponses(hands, response);
  if (results.length === 0) {
    process.stdout.write(`${response.output_text}\n`);
    break;
  }
  input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]), ...results);
}
