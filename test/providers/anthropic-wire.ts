import * as z from 'zod';
import { ANTHROPIC_NATIVE_ROUNDS, pieces, type SeenResult } from './scenario.ts';
import { AnthropicNativeTool, AnthropicTools } from './schema-rules.ts';
import { demand, event, pair, Refusal, type Wire } from './wire.ts';

const Text = z.looseObject({ type: z.literal('text'), text: z.string().min(1, 'text content blocks must be non-empty') });
const Image = z.looseObject({
  type: z.literal('image'),
  source: z.looseObject({ type: z.literal('base64'), media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']), data: z.base64() }),
});
const Result = z
  .looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/u),
    content: z.union([z.string(), z.array(z.union([Text, Image]))]).optional(),
    is_error: z.boolean().optional(),
  })
  .refine(({ is_error, content }) => is_error !== true || content === undefined || content.length > 0, {
    message: 'content cannot be empty if is_error is true',
  });
const Use = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/u),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const Message = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string().min(1), z.array(z.union([Text, Image, Result, Use])).min(1)]),
});
const Body = z.looseObject({ model: z.string(), max_tokens: z.int().min(1), messages: z.array(Message).min(1), tools: AnthropicTools });

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown };

function blocks(message: z.infer<typeof Message> | undefined, type: string): readonly Readonly<Record<string, unknown>>[] {
  return message === undefined || typeof message.content === 'string' ? [] : message.content.filter((block) => block.type === type);
}

export const anthropicWire: Wire = {
  route: (path, body) => (path === '/v1/messages' ? { stream: (body as { stream?: boolean }).stream === true } : undefined),
  read(body) {
    const { messages, tools } = demand(Body, body, 'body');
    if (messages[0]?.role !== 'user') throw new Refusal('messages: first message must use the "user" role');
    const results: SeenResult[] = [];
    let turns = 0;
    for (const [index, message] of messages.entries()) {
      const uses = blocks(message, 'tool_use');
      if (message.role !== 'assistant' || uses.length === 0) continue;
      turns += 1;
      const next = messages[index + 1];
      const answers = blocks(next, 'tool_result');
      if (
        next !== undefined &&
        typeof next.content !== 'string' &&
        next.content.slice(0, answers.length).some(({ type }) => type !== 'tool_result')
      ) {
        throw new Refusal('tool_result blocks must come first in the message');
      }
      pair(
        uses.map(({ id }) => String(id)),
        answers.map((answer) => String(answer['tool_use_id'])),
      );
      for (const answer of answers) {
        const given = answer['content'];
        const text = typeof given === 'string' ? given : (given as { text?: string }[]).map((part) => part.text ?? '').join('');
        results.push({
          id: String(answer['tool_use_id']),
          text,
          isError: answer['is_error'] === true,
          images: typeof given === 'string' ? 0 : (given as { type: string }[]).filter(({ type }) => type === 'image').length,
        });
      }
    }
    const native = AnthropicNativeTool.safeParse((tools as unknown[])[0]).success;
    return { turns, results, strictFields: new Map(), ...(native ? { rounds: ANTHROPIC_NATIVE_ROUNDS } : {}) };
  },
  reply: (turn) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content:
      'text' in turn
        ? [{ type: 'text', text: turn.text, citations: null }]
        : [
            { type: 'text', text: 'Let me see.', citations: null },
            ...turn.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
          ],
    stop_reason: 'text' in turn ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  events(reply) {
    const message = reply as { content: Block[]; stop_reason: string };
    const told = (type: string, rest: object = {}): string => event({ type, ...rest }, type);
    return [
      told('message_start', { message: { ...message, content: [], stop_reason: null } }),
      ...message.content.flatMap((block, index) => {
        const isText = block.type === 'text';
        const deltas = isText
          ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
          : pieces(JSON.stringify(block.input)).map((text) => ({ type: 'input_json_delta', partial_json: text }));
        return [
          told('content_block_start', { index, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } }),
          ...deltas.map((delta) => told('content_block_delta', { index, delta })),
          told('content_block_stop', { index }),
        ];
      }),
      told('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } }),
      told('message_stop'),
    ];
  },
  refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
};
