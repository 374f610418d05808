import * as z from 'zod';
import { isErrorText, pieces, strictInput, type SeenResult } from './scenario.ts';
import { OpenAiResponsesTools } from './schema-rules.ts';
import { demand, event, pair, Refusal, type Wire } from './wire.ts';

const Part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('input_image'), image_url: z.string().startsWith('data:image/') }),
]);
const Item = z.union([
  z.looseObject({ type: z.literal('function_call'), call_id: z.string().min(1), name: z.string(), arguments: z.string() }),
  z.looseObject({ type: z.literal('function_call_output'), call_id: z.string().min(1), output: z.union([z.string(), z.array(Part).min(1)]) }),
  z.looseObject({ type: z.literal('item_reference'), id: z.string() }),
  z.looseObject({ type: z.literal('message').optional(), role: z.enum(['user', 'assistant', 'system', 'developer']) }),
]);
const Body = z.looseObject({ model: z.string(), input: z.union([z.string(), z.array(Item).min(1)]), tools: OpenAiResponsesTools });
const Tools = z.array(
  z.looseObject({ name: z.string(), strict: z.boolean().nullish(), parameters: z.looseObject({ required: z.array(z.string()).optional() }) }),
);

interface OutputItem {
  type: 'function_call' | 'message';
  id: string;
  call_id: string;
  arguments: string;
  content: [{ type: string; text: string }];
}

const itemId = (callId: string): string => `fc_${callId}`;

export const openAiResponsesWire: Wire = {
  route: (path, body) => (path === '/v1/responses' ? { stream: (body as { stream?: boolean }).stream === true } : undefined),
  read(body) {
    const { input, tools } = demand(Body, body, 'body');
    const items = typeof input === 'string' ? [] : input;
    const calls: string[] = [];
    const results: SeenResult[] = [];
    let turns = 0;
    let calling = false;
    for (const item of items) {
      const { type } = item;
      const isCall = type === 'function_call' || type === 'item_reference';
      if (isCall) {
        if (!calling) turns += 1;
        calls.push(type === 'function_call' ? item.call_id : item.id.replace(/^fc_/u, ''));
      }
      calling = isCall;
      if (type !== 'function_call_output') continue;
      const id = item.call_id;
      if (!calls.includes(id)) throw new Refusal(`No tool call found for function call output with call_id ${id}.`);
      const { output } = item as { output: string | { text?: string; image_url?: string }[] };
      const text = typeof output === 'string' ? output : output.map((part) => part.text ?? '').join('');
      results.push({
        id,
        text,
        isError: isErrorText(text),
        images: typeof output === 'string' ? 0 : output.filter((part) => part.image_url !== undefined).length,
      });
    }
    pair(
      calls,
      results.map(({ id }) => id),
    );
    const strict = Tools.parse(tools).filter((tool) => tool.strict === true);
    return { turns, results, strictFields: new Map(strict.map(({ name, parameters }) => [name, parameters.required ?? []])) };
  },
  reply: (turn, { strictFields, turns }) => ({
    id: `resp_${turns}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'scripted',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    output:
      'text' in turn
        ? [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: turn.text, annotations: [], logprobs: [] }],
            },
          ]
        : turn.calls.map(({ id, name, input }) => ({
            type: 'function_call',
            id: itemId(id),
            call_id: id,
            name,
            arguments: JSON.stringify(strictInput(input, strictFields.get(name) ?? [])),
            status: 'completed',
          })),
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  }),
  events(reply) {
    const response = reply as { output: OutputItem[] };
    let sequence = 0;
    const told = (type: string, rest: object): string => {
      sequence += 1;
      return event({ type, sequence_number: sequence, ...rest }, type);
    };
    return [
      told('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      ...response.output.flatMap((item, index) => {
        const place = { item_id: item.id, output_index: index };
        const added = (empty: object): string =>
          told('response.output_item.added', { output_index: index, item: { ...item, ...empty, status: 'in_progress' } });
        const done = (): string => told('response.output_item.done', { output_index: index, item });
        if (item.type === 'function_call') {
          return [
            added({ arguments: '' }),
            ...pieces(item.arguments).map((delta) => told('response.function_call_arguments.delta', { ...place, delta })),
            told('response.function_call_arguments.done', { ...place, arguments: item.arguments }),
            done(),
          ];
        }
        const [part] = item.content;
        return [
          added({ content: [] }),
          told('response.content_part.added', { ...place, content_index: 0, part: { ...part, text: '' } }),
          ...pieces(part.text).map((delta) => told('response.output_text.delta', { ...place, content_index: 0, delta, logprobs: [] })),
          told('response.output_text.done', { ...place, content_index: 0, text: part.text, logprobs: [] }),
          told('response.content_part.done', { ...place, content_index: 0, part }),
          done(),
        ];
      }),
      told('response.completed', { response }),
    ];
  },
  refusal: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};
