import * as z from 'zod';
import { isErrorText, OPENAI_NATIVE_ROUNDS, pieces, strictInput, type SeenResult } from './scenario.ts';
import { OpenAiNativeTool, OpenAiResponsesTools } from './schema-rules.ts';
import { demand, event, pair, Refusal, type Wire } from './wire.ts';

const Part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('input_image'), image_url: z.string().startsWith('data:image/') }),
]);
const callId = z.string().min(1);
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
const ranBy = z.strictObject({ type: z.literal('direct') }).nullish();
const Outcome = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('timeout') }),
  z.strictObject({ type: z.literal('exit'), exit_code: z.int() }),
]);

/** Outputs of non-function items, from the SDK's types. The output of a local shell has its call id in `id`. */
const NATIVE_OUTPUTS = {
  local_shell_call_output: z.strictObject({ type: z.literal('local_shell_call_output'), id: callId, output: z.string(), status }),
  shell_call_output: z.strictObject({
    type: z.literal('shell_call_output'),
    call_id: callId,
    output: z.array(z.strictObject({ stdout: z.string(), stderr: z.string(), outcome: Outcome })),
    max_output_length: z.int().nullish(),
    caller: ranBy,
    status,
  }),
  apply_patch_call_output: z.strictObject({
    type: z.literal('apply_patch_call_output'),
    call_id: callId,
    status: z.enum(['completed', 'failed']),
    output: z.string().nullish(),
    caller: ranBy,
  }),
};
const CALLS: ReadonlySet<string> = new Set(['function_call', 'item_reference', 'shell_call', 'local_shell_call', 'apply_patch_call']);

const NativeOutput = z.discriminatedUnion('type', [
  NATIVE_OUTPUTS.local_shell_call_output,
  NATIVE_OUTPUTS.shell_call_output,
  NATIVE_OUTPUTS.apply_patch_call_output,
]);
const NativeCall = z.looseObject({ type: z.enum(['shell_call', 'local_shell_call', 'apply_patch_call']), call_id: callId });

const Item = z.union([
  NativeOutput,
  NativeCall,
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
  type: 'function_call' | 'message' | 'shell_call' | 'local_shell_call' | 'apply_patch_call';
  id: string;
  call_id: string;
  arguments: string;
  content: [{ type: string; text: string }];
}

const itemId = (id: string): string => `fc_${id}`;

const functionCall = (id: string, name: string, input: object): object => ({
  type: 'function_call',
  id: itemId(id),
  call_id: id,
  name,
  arguments: JSON.stringify(input),
  status: 'completed',
});

/** Returns the output of a native call item, as the model sees it. */
function seen(output: z.infer<typeof NativeOutput>): SeenResult {
  if (output.type === 'apply_patch_call_output') {
    return { id: output.call_id, text: output.output ?? '', isError: output.status === 'failed', images: 0 };
  }
  if (output.type === 'local_shell_call_output') {
    const { exit_code: code } = JSON.parse(output.output) as { exit_code: number };
    return { id: output.id, text: output.output, isError: code !== 0, images: 0 };
  }
  const failed = output.output.some(({ outcome }) => outcome.type === 'timeout' || outcome.exit_code !== 0);
  return { id: output.call_id, text: JSON.stringify(output.output), isError: failed, images: 0 };
}

export const openAiResponsesWire: Wire = {
  route: (path, body) => (path === '/v1/responses' ? { stream: (body as { stream?: boolean }).stream === true } : undefined),
  read(body) {
    const { input, tools } = demand(Body, body, 'body');
    const items = typeof input === 'string' ? [] : input;
    const calls: string[] = [];
    const types = new Map<string, string>();
    const results: SeenResult[] = [];
    let turns = 0;
    let calling = false;
    for (const item of items) {
      const { type } = item;
      const isCall = CALLS.has(type ?? '');
      if (isCall) {
        if (!calling) turns += 1;
        const id = 'call_id' in item ? String(item.call_id) : String(item['id']).replace(/^fc_/u, '');
        calls.push(id);
        types.set(id, type ?? '');
      }
      calling = isCall;
      const native = NativeOutput.safeParse(item);
      if (native.success) {
        const result = seen(native.data);
        if (`${types.get(result.id)}_output` !== type)
          throw new Refusal(`No ${type?.replace(/_output$/u, '')} found for ${type} with id ${result.id}.`);
        results.push(result);
      }
      if (type !== 'function_call_output') continue;
      const id = item.call_id;
      if (!calls.includes(id)) throw new Refusal(`No tool call found for function call output with call_id ${id}.`);
      const { output } = item as { output: string | { text?: string; image_url?: string }[] };
      const parts = typeof output === 'string' ? [{ text: output }] : output;
      const text = parts.map((part) => part.text ?? '').join('');
      results.push({
        id,
        text,
        isError: isErrorText(text),
        images: parts.filter((part) => 'image_url' in part && part.image_url !== undefined).length,
      });
    }
    pair(
      calls,
      results.map(({ id }) => id),
    );
    const native = OpenAiNativeTool.safeParse((tools as unknown[])[0]).success;
    if (native) return { turns, results, strictFields: new Map(), rounds: OPENAI_NATIVE_ROUNDS };
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
        : turn.calls.map(({ id, name, input, item }) =>
            item === undefined
              ? functionCall(id, name, strictInput(input, strictFields.get(name) ?? []))
              : { type: item, id: itemId(id), call_id: id, status: 'completed', ...input },
          ),
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
        if (item.type !== 'message') return [added({}), done()];
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
