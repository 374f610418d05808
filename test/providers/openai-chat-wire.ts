import * as z from 'zod';
import { isErrorText, pieces, strictInput, type SeenResult } from './scenario.ts';
import { OpenAiChatTools } from './schema-rules.ts';
import { demand, event, pair, type Wire } from './wire.ts';

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
const Call = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const Message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content }),
  z.looseObject({ role: z.literal('developer'), content }),
  z.looseObject({ role: z.literal('user'), content }),
  z.looseObject({ role: z.literal('assistant'), content: content.nullish(), tool_calls: z.array(Call).min(1).optional() }),
  // Text only: the API refuses images in a tool message.
  z.looseObject({
    role: z.literal('tool'),
    tool_call_id: z.string().min(1),
    content: z.union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() }))]),
  }),
]);
const Body = z.looseObject({ model: z.string(), messages: z.array(Message).min(1), tools: OpenAiChatTools, stream: z.boolean().optional() });
const Tools = z.array(
  z.looseObject({
    function: z.looseObject({
      name: z.string(),
      strict: z.boolean().nullish(),
      parameters: z.looseObject({ required: z.array(z.string()).optional() }),
    }),
  }),
);

interface Reply {
  id: string;
  choices: [
    { message: { content: string | null; tool_calls?: { id: string; function: { name: string; arguments: string } }[] }; finish_reason: string },
  ];
}

export const openAiChatWire: Wire = {
  route: (path, body) => (path === '/v1/chat/completions' ? { stream: (body as { stream?: boolean }).stream === true } : undefined),
  read(body) {
    const { messages, tools } = demand(Body, body, 'body');
    const results: SeenResult[] = [];
    let turns = 0;
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'assistant' || message.tool_calls === undefined) continue;
      turns += 1;
      const after = messages.slice(index + 1, index + 1 + message.tool_calls.length).filter(({ role }) => role === 'tool');
      const answers = after.flatMap((each) => (each.role === 'tool' ? [each] : []));
      pair(
        message.tool_calls.map(({ id }) => id),
        answers.map(({ tool_call_id }) => tool_call_id),
      );
      for (const { tool_call_id: id, content: given } of answers) {
        const text = typeof given === 'string' ? given : given.map((part) => part.text).join('');
        results.push({ id, text, isError: isErrorText(text), images: 0 });
      }
    }
    const strict = Tools.parse(tools).filter((tool) => tool.function.strict === true);
    return { turns, results, strictFields: new Map(strict.map((tool) => [tool.function.name, tool.function.parameters.required ?? []])) };
  },
  reply: (turn, { strictFields, turns }) => ({
    // LangChain merges messages with the same id.
    id: `chatcmpl-${turns}`,
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [
      {
        index: 0,
        message:
          'text' in turn
            ? { role: 'assistant', content: turn.text, refusal: null }
            : {
                role: 'assistant',
                content: null,
                refusal: null,
                tool_calls: turn.calls.map(({ id, name, input }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: JSON.stringify(strictInput(input, strictFields.get(name) ?? [])) },
                })),
              },
        finish_reason: 'text' in turn ? 'stop' : 'tool_calls',
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  events(reply) {
    const { id, choices } = reply as Reply;
    const [{ message, finish_reason }] = choices;
    const chunk = (delta: unknown, finish: string | null = null): string =>
      event({ id, object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: [{ index: 0, delta, finish_reason: finish }] });
    const calls = message.tool_calls ?? [];
    return [
      chunk({ role: 'assistant', content: message.content === null ? null : '' }),
      ...pieces(message.content ?? '').map((text) => chunk({ content: text })),
      ...calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } }] }),
        ...pieces(call.function.arguments).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
      ]),
      chunk({}, finish_reason),
      'data: [DONE]\n\n',
    ];
  },
  refusal: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};
