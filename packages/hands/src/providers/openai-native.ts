import { answerText } from './answer-text.ts';
import { fields, id, items, name } from './response-fields.ts';
import type { ResponseCall, ToolAnswer } from './run-tool-calls.ts';
import type { OpenAiNativeTool } from './tool-description.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The part of a program that made a call. The output repeats it. */
type Caller = { type: 'direct' } | { type: 'program'; caller_id: string };

/** The result of one command of a `shell_call`. */
interface ShellOutput {
  stdout: string;
  stderr: string;
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' };
}

/** The result of a call item with a special type. */
export type OpenAiNativeOutput =
  | { type: 'local_shell_call_output'; id: string; output: string }
  | { type: 'shell_call_output'; call_id: string; output: ShellOutput[]; max_output_length?: number; caller?: Caller }
  | { type: 'apply_patch_call_output'; call_id: string; status: 'completed' | 'failed'; output: string; caller?: Caller };

/** How to read and answer the call items of a tool. */
interface NativeItem {
  /** The field with the tool's input. */
  readonly input: 'action' | 'operation';
  readonly write: (item: Fields, callId: string, answer: ToolAnswer) => OpenAiNativeOutput;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function callerOf({ caller }: Fields): { caller?: Caller } {
  const { type, caller_id: program } = fields(caller);
  if (type === 'direct') return { caller: { type } };
  return type === 'program' && typeof program === 'string' ? { caller: { type, caller_id: program } } : {};
}

function shellOutput(value: unknown): ShellOutput {
  const { stdout, stderr, outcome } = fields(value);
  const { type, exit_code: code } = fields(outcome);
  return {
    stdout: text(stdout),
    stderr: text(stderr),
    outcome: type === 'timeout' ? { type } : { type: 'exit', exit_code: typeof code === 'number' ? code : 1 },
  };
}

/** Returns the outputs of a `shell_call`. An answer that did not come from a dialect, such as for a duplicate id, has only text. */
function shellOutputs({ value, content, isError }: ToolAnswer): ShellOutput[] {
  if (Array.isArray(value)) return items(value).map(shellOutput);
  const told = answerText(content);
  return [{ stdout: isError ? '' : told, stderr: isError ? told : '', outcome: { type: 'exit', exit_code: isError ? 1 : 0 } }];
}

/** Every kind of item. The types are those of the official SDK. */
const ITEMS: Readonly<Record<OpenAiNativeTool['type'], NativeItem>> = {
  local_shell: {
    input: 'action',
    // The only output whose `id` is the id of the call.
    write: (_, callId, { value, content, isError }) => ({
      type: 'local_shell_call_output',
      id: callId,
      output:
        typeof value === 'object'
          ? JSON.stringify(value)
          : JSON.stringify({ stdout: '', stderr: answerText(content), exit_code: isError ? 1 : 0, timed_out: false }),
    }),
  },
  shell: {
    input: 'action',
    write: (item, callId, answer) => {
      const most = fields(item['action'])['max_output_length'];
      return {
        type: 'shell_call_output',
        call_id: callId,
        output: shellOutputs(answer),
        ...(typeof most === 'number' ? { max_output_length: most } : {}),
        ...callerOf(item),
      };
    },
  },
  apply_patch: {
    input: 'operation',
    write: (item, callId, { value, content, isError }) => ({
      type: 'apply_patch_call_output',
      call_id: callId,
      status: isError || fields(value)['status'] === 'failed' ? 'failed' : 'completed',
      output: id(fields(value)['output']) ?? answerText(content),
      ...callerOf(item),
    }),
  },
};

const TYPES: ReadonlyMap<string, OpenAiNativeTool['type']> = new Map(
  (['local_shell', 'shell', 'apply_patch'] as const).map((type) => [`${type}_call`, type]),
);

/** Returns the call of an item with a special type; undefined for any other item, and for calls that OpenAI runs in its containers. */
export function nativeCall(item: Fields): { call: ResponseCall; write: (answer: ToolAnswer) => OpenAiNativeOutput } | undefined {
  const type = TYPES.get(name(item['type']));
  if (type === undefined || fields(item['environment'])['type'] === 'container_reference') return undefined;
  const { input, write } = ITEMS[type];
  const callId = id(item['call_id']);
  return {
    call: { id: callId, name: type, native: type, input: { [input]: item[input] }, cutOff: item['status'] === 'incomplete' },
    write: (answer) => write(item, callId ?? '', answer),
  };
}
