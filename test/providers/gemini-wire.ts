import * as z from 'zod';
import { isErrorText, ROUNDS, type SeenResult } from './scenario.ts';
import { GeminiTools } from './schema-rules.ts';
import { demand, event, pair, Refusal, type Wire } from './wire.ts';

const SIGNATURE = 'c2lnbmVk';
const Inline = z.strictObject({ inlineData: z.strictObject({ mimeType: z.enum(['image/png', 'image/jpeg', 'image/webp']), data: z.base64() }) });
const Part = z.union([
  Inline,
  z.strictObject({ text: z.string(), thoughtSignature: z.string().optional() }),
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().optional(), name: z.string(), args: z.record(z.string(), z.unknown()).optional() }),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name: z.string().min(1),
      response: z.record(z.string(), z.unknown()),
      parts: z.array(Inline).optional(),
    }),
  }),
]);
const Content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(Part).min(1) });
const Body = z.looseObject({ contents: z.array(Content).min(1), tools: GeminiTools });

type PartValue = z.infer<typeof Part>;
const callsIn = (parts: readonly PartValue[]) => parts.flatMap((part) => ('functionCall' in part ? [part] : []));
/** Returns the results, each with the number of images after it: models that accept none inside get them there. */
const responsesIn = (parts: readonly PartValue[]) =>
  parts.flatMap((part, index) => {
    if (!('functionResponse' in part)) return [];
    const rest = parts.slice(index + 1);
    const next = rest.findIndex((each) => 'functionResponse' in each);
    const after = rest.slice(0, next === -1 ? undefined : next).filter((each) => 'inlineData' in each).length;
    return [{ ...part.functionResponse, after }];
  });

function seen({ id, response, parts, after }: ReturnType<typeof responsesIn>[number], turn: number, index: number): SeenResult {
  const failed = response['error'] !== undefined;
  const value = failed ? response['error'] : (response['output'] ?? response['content'] ?? response);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Without ids, calls and results are matched by order.
  return { id: id ?? ROUNDS[turn - 1]?.[index]?.id ?? '', text, isError: failed || isErrorText(text), images: (parts?.length ?? 0) + after };
}

/** @param ids whether calls have ids: Vertex AI and older models send none */
export const geminiWire = (ids: boolean): Wire => ({
  route: (path) => {
    const method = /^\/v1beta\/models\/[^/:]+:(?<method>generateContent|streamGenerateContent)$/u.exec(path)?.groups?.['method'];
    return method === undefined ? undefined : { stream: method === 'streamGenerateContent' };
  },
  read(body) {
    const { contents } = demand(Body, body, 'body');
    const results: SeenResult[] = [];
    let turns = 0;
    for (const [index, { role, parts }] of contents.entries()) {
      const calls = callsIn(parts);
      if (role !== 'model' || calls.length === 0) continue;
      turns += 1;
      if (calls[0]?.thoughtSignature !== SIGNATURE) throw new Refusal('Function call is missing a thought_signature in functionCall parts.');
      const answers = responsesIn(contents[index + 1]?.parts ?? []);
      if (answers.length !== calls.length) {
        throw new Refusal('The number of function response parts must be equal to the number of function call parts of the function call turn.');
      }
      pair(
        calls.map(({ functionCall: { id, name } }) => `${id ?? ''} ${name}`),
        answers.map(({ id, name }) => `${id ?? ''} ${name}`),
      );
      answers.forEach((answer, place) => results.push(seen(answer, turns, place)));
    }
    return { turns, results, strictFields: new Map() };
  },
  reply: (turn) => ({
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts:
            'text' in turn
              ? [{ text: turn.text }]
              : turn.calls.map(({ id, name, input }, index) => ({
                  functionCall: { ...(ids ? { id } : {}), name, args: input },
                  ...(index === 0 ? { thoughtSignature: SIGNATURE } : {}),
                })),
        },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'scripted',
  }),
  events(reply) {
    const { candidates, ...rest } = reply as { candidates: [{ content: { parts: unknown[] }; finishReason: string }] };
    const [{ content, finishReason }] = candidates;
    const last = content.parts.length - 1;
    return content.parts.map((part, index) =>
      event({ ...rest, candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...(index === last ? { finishReason } : {}) }] }),
    );
  },
  refusal: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
});
