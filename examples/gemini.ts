// A tool loop with Google's Gemini API.
//
//   GEMINI_API_KEY=… node examples/gemini.ts "What does this project do?" [--stream]
//
// GOOGLE_GEMINI_BASE_URL and GEMINI_MODEL name another server or model.
import { GoogleGenAI, type Content, type Part } from '@google/genai';
import { createHands } from '@synapse/hands';
import { handleGemini } from '@synapse/hands/providers';

const [task = 'What does this project do?', ...flags] = process.argv.slice(2);
const client = new GoogleGenAI({ apiKey: process.env['GEMINI_API_KEY'] ?? '' });
await using hands = await createHands({ workspace: '.', allow: ['write'] });

const contents: Content[] = [{ role: 'user', parts: [{ text: task }] }];
const request = { model: process.env['GEMINI_MODEL'] ?? 'gemini-3.5-flash', contents, config: { tools: hands.tools('gemini') } };

/** The model's turn: every part as it came, since some carry a signature that the next request must have. */
async function modelTurn(): Promise<Part[]> {
  if (!flags.includes('--stream')) return (await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? [];
  const parts: Part[] = [];
  for await (const chunk of await client.models.generateContentStream(request)) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
  return parts;
}

for (let round = 0; round < 10; round += 1) {
  const content = { role: 'model', parts: await modelTurn() };
  const results = await handleGemini(hands, { candidates: [{ content }] });
  if (results.length === 0) {
    process.stdout.write(`${content.parts.map(({ text }) => text ?? '').join('')}\n`);
    break;
  }
  contents.push(content, ...results);
}
