/** A call of the scripted model. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The type of the item, if the call is a native item with these fields. */
  readonly item?: 'shell_call' | 'local_shell_call' | 'apply_patch_call';
}

/** The turns of a model, each with its calls. */
export type Rounds = readonly (readonly ScriptedCall[])[];

/** The output of the model in one turn: calls, or a final text. */
export type Turn = { readonly calls: readonly ScriptedCall[] } | { readonly text: string };

/** A result as the model received it. */
export interface SeenResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
  /** Number of images after the text. */
  readonly images: number;
}

/** The smallest PNG. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** The files for the scripted model. */
export const FILES: Readonly<Record<string, string | Uint8Array>> = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c.png': PIXEL };

/** Two rounds: parallel reading calls, then a failing call next to a writing one. */
export const ROUNDS: Rounds = [
  [
    { id: 'call_1', name: 'read_file', input: { path: 'a.txt' } },
    { id: 'call_2', name: 'read_file', input: { path: 'b.txt' } },
    { id: 'call_3', name: 'read_file', input: { path: 'c.png' } },
  ],
  [
    { id: 'call_4', name: 'read_file', input: { path: 'missing.txt' } },
    { id: 'call_5', name: 'write_file', input: { path: 'd.txt', content: 'gamma\n' } },
  ],
];

const local = { environment: { type: 'local' } };
const unlimited = { timeout_ms: null, max_output_length: null };

/** The same with OpenAI's native items; the model gets only these tools. */
export const OPENAI_NATIVE_ROUNDS: Rounds = [
  [
    { id: 'call_1', name: 'shell', item: 'shell_call', input: { action: { commands: ['cat a.txt', 'cat b.txt'], ...unlimited }, ...local } },
    { id: 'call_2', name: 'local_shell', item: 'local_shell_call', input: { action: { type: 'exec', command: ['cat', 'b.txt'], env: {} } } },
  ],
  [
    {
      id: 'call_3',
      name: 'apply_patch',
      item: 'apply_patch_call',
      input: { operation: { type: 'update_file', path: 'missing.txt', diff: '@@\n-a\n+b\n' } },
    },
    { id: 'call_4', name: 'apply_patch', item: 'apply_patch_call', input: { operation: { type: 'create_file', path: 'd.txt', diff: '+gamma\n' } } },
    { id: 'call_5', name: 'shell', item: 'shell_call', input: { action: { commands: ['cat d.txt; exit 3'], ...unlimited }, ...local } },
  ],
];

const EDITOR = 'str_replace_based_edit_tool';

/** The same with Anthropic's native tools. */
export const ANTHROPIC_NATIVE_ROUNDS: Rounds = [
  [
    { id: 'call_1', name: 'bash', input: { command: 'cat a.txt' } },
    { id: 'call_2', name: EDITOR, input: { command: 'view', path: 'b.txt' } },
  ],
  [
    { id: 'call_3', name: EDITOR, input: { command: 'view', path: 'missing.txt' } },
    { id: 'call_4', name: EDITOR, input: { command: 'create', path: 'd.txt', file_text: 'gamma\n' } },
    { id: 'call_5', name: 'bash', input: { restart: true } },
  ],
];

/** Returns the next turn of the model. The last one reports the results it saw, for the test. */
export function turn(turnsBefore: number, seen: readonly SeenResult[], rounds: Rounds): Turn {
  const calls = rounds[turnsBefore];
  return calls === undefined ? { text: JSON.stringify(seen) } : { calls };
}

/** Returns the input of a call as a strict model sends it: null for each missing field. */
export function strictInput(input: ScriptedCall['input'], fields: readonly string[]): Record<string, unknown> {
  return { ...Object.fromEntries(fields.map((field) => [field, null])), ...input };
}

/** Splits a text into pieces, as it streams. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [''];
}

/** Whether a text reports an error, for APIs without an error flag: from Synapse, or wrapped by the AI SDK. */
export function isErrorText(text: string): boolean {
  return text.startsWith('Error: ') || text.startsWith('{"error":"Error: ');
}
