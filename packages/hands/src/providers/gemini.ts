import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import { isSchema, type JsonSchema } from '../tool/json-schema.ts';
import { fields, id, items, name } from './response-fields.ts';
import { runToolCalls, type HandleOptions, type ResponseCall, type ToolAnswer, type ToolRunner } from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** A tool for generateContent. */
export interface GeminiDeclaration {
  name: string;
  description: string;
  /** Omitted if there are no parameters: the API rejects an object without properties. */
  parametersJsonSchema?: JsonSchema;
}

/** All tools, as one entry in generateContent's list of tools. */
export interface GeminiTool {
  functionDeclarations: GeminiDeclaration[];
}

/** The result of a call for generateContent. */
export interface GeminiResponsePart {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

/** The content with the results of the calls in a response. */
export interface GeminiResultContent {
  role: 'user';
  parts: GeminiResponsePart[];
}

/** Writes tools for generateContent as one entry with all of them. */
export function writeGemini(catalogue: ToolCatalogue): GeminiTool[] {
  const functionDeclarations = catalogue.wireTools('gemini').map(({ name, description, inputSchema }): GeminiDeclaration => {
    const { properties } = inputSchema;
    const empty = !isSchema(properties) || Object.keys(properties).length === 0;
    return { name, description, ...(empty ? {} : { parametersJsonSchema: inputSchema }) };
  });
  return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];
}

function callsOf(response: unknown): readonly ResponseCall[] {
  const { content } = fields(items(fields(response)['candidates'])[0]);
  return items(fields(content)['parts'])
    .map((part) => fields(part)['functionCall'])
    .filter((call) => call !== undefined && call !== null)
    .map((call) => {
      const asked = fields(call);
      return { id: id(asked['id']), name: name(asked['name']), input: asked['args'] ?? {} };
    });
}

function responsePart(call: ResponseCall | undefined, { content, isError }: ToolAnswer, images: boolean): GeminiResponsePart {
  const shown = visibleBlocks(content, images);
  const text = answerText(shown.filter(({ type }) => type !== 'image'));
  const pictures = shown.flatMap((block) => (block.type === 'image' ? [{ inlineData: { mimeType: block.mimeType, data: block.data } }] : []));
  return {
    functionResponse: {
      ...(call?.id === undefined ? {} : { id: call.id }),
      name: call?.name ?? '',
      response: isError ? { error: text } : { output: text },
      ...(hasImages(content, images) ? { parts: pictures } : {}),
    },
  };
}

/**
 * Runs the function calls of a response. Returns a list with the one content that answers all of them; the
 * list is empty if there were no calls. Calls need no id: Gemini pairs calls and results by order. Images
 * need a model of the third generation; set `images: false` for older models. Never throws: a call that
 * cannot run gets an error as its answer.
 *
 * @param response the result of `ai.models.generateContent()`
 * @example
 * const content = response.candidates?.[0]?.content;
 * if (content !== undefined) contents.push(content, ...(await handleGemini(hands, response)));
 */
export async function handleGemini(hands: ToolRunner, response: unknown, options: HandleOptions = {}): Promise<GeminiResultContent[]> {
  const calls = callsOf(response);
  const answers = await runToolCalls(hands, calls, options, false);
  if (answers.length === 0) return [];
  return [{ role: 'user', parts: answers.map((answer, index) => responsePart(calls[index], answer, options.images ?? true)) }];
}
