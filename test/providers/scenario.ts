/** A call that the scripted model makes. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The type of the item, where the call is one of its own with these fields. */
  readonly item?: 'shell_call' | 'local_shell_call' | 'apply_patch_call';
}

/** The turns of a model, each with its calls. */
export type Rounds = readonly (readonly ScriptedCall[])[];

/** What the model says in one turn: calls, or a last text. */
export type Turn = { readonly calls: readonly ScriptedCall[] } | { readonly text: string };

/** A result as the model got it. */
export interface SeenResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
  /** How many images came with the text. */
  readonly images: number;
}

/** The smallest PNG. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** The files that the scripted model works on. */
export const FILES: Readonly<Record<string, string | Uint8Array>> = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c.png': PIXEL };

/** Two rounds: parallel calls that read, then one that fails beside one that writes. */
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

/** The same with the items that OpenAI has for its own tools; the model was told of those alone. */
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

/** The same with the tools that Anthropic defines. */
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

/** The next turn of the model, once it has had so many. The last one tells what it saw, for the test to read. */
export function turn(turnsBefore: number, seen: readonly SeenResult[], rounds: Rounds): Turn {
  const calls = rounds[turnsBefore];
  return calls === undefined ? { text: JSON.stringify(seen) } : { calls };
}

/** The input of a call as a strict model sends it: null for each field it leaves out. */
export function strictInput(input: ScriptedCall['input'], fields: readonly string[]): Record<string, unknown> {
  return { ...Object.fromEntries(fields.map((field) => [field, null])), ...input };
}

/** A text in pieces, as it streams. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [''];
}

/** Whether a text tells of an error, for APIs without a mark for one: as Synapse says it, or as the AI SDK wraps it. */
export function isErrorText(text: string): boolean {
  return text.startsWith('Error: ') || text.startsWith('{"error":"Error: ');
}
