import type { ToolCaller } from '@synapse/hands/providers';
import type { CallResult } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';

const STATUSES = ['pending', 'in_progress', 'done'] as const;
/** Maximum number of entries, and of characters of one: the list is shown to a person. */
const MAX_ITEMS = 50;
const MAX_TEXT = 300;

/** An entry of a todo list. */
export interface TodoItem {
  readonly text: string;
  readonly status: (typeof STATUSES)[number];
}

/** The names under which models were trained to keep their list, by dialect. */
const NAMES: Readonly<Record<string, string>> = {
  'claude-code': 'TodoWrite',
  codex: 'update_plan',
  'gemini-cli': 'write_todos',
  opencode: 'todowrite',
};
const OWN_NAME = 'todo_list';

const Item = z.strictObject({
  text: z.string().min(1).max(MAX_TEXT).describe('What is to be done, in a few words'),
  status: z.enum(STATUSES).default('pending'),
});
const Input = z.strictObject({ items: z.array(Item).max(MAX_ITEMS).describe('The whole list, in order') });

const DESCRIPTION =
  'Keep a list of the steps of your task, which the person sees. Send the whole list each time: when you plan, when you begin a step, when a step is done. Only for tasks of three steps and more.';

const EntryFields = z.looseObject({ status: z.string().optional() });
const ListFields = z.record(z.string(), z.unknown());

/** Reads the list in our words, and in those of the systems that models were trained on. */
function itemsOf(input: unknown): readonly TodoItem[] {
  const fields = ListFields.parse(input);
  const given = fields['items'] ?? fields['todos'] ?? fields['plan'];
  if (!Array.isArray(given)) return Input.parse(input).items;
  const items = given.map((entry) => {
    const { status = 'pending', ...rest } = EntryFields.parse(entry);
    const said = [rest['text'], rest['content'], rest['step'], rest['description']].find((text) => typeof text === 'string');
    return { text: said, status: status === 'completed' || status === 'cancelled' ? 'done' : status };
  });
  return Input.parse({ items }).items;
}

/** The list of steps that a model keeps during a conversation. */
export class TodoList {
  #items: readonly TodoItem[] = [];
  readonly #onChange: (items: readonly TodoItem[]) => void;

  /** @param onChange called with each new list */
  constructor(onChange: (items: readonly TodoItem[]) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get items(): readonly TodoItem[] {
    return this.#items;
  }

  clear(): void {
    this.#items = [];
  }

  /**
   * Returns the tools with one more, which keeps this list. It touches nothing on the machine.
   *
   * @param dialect the dialect of the tools, for the name of this one
   */
  among(caller: ToolCaller, dialect?: string): ToolCaller {
    const name = NAMES[dialect ?? ''] ?? OWN_NAME;
    const inputSchema = z.toJSONSchema(Input, { io: 'input' });
    const described = { name, title: 'Keep a todo list', description: DESCRIPTION, inputSchema, annotations: { readOnlyHint: true } };
    return {
      tools: (format) => [...caller.tools(format), described],
      call: async (wanted, input, options) =>
        wanted === name ? this.#answer(name, input, options?.callId ?? randomUUID()) : await caller.call(wanted, input, options),
    };
  }

  #answer(tool: string, input: unknown, callId: string): CallResult {
    const meta = { callId, tool, durationMs: 0, completion: 'ok' as const };
    try {
      this.#items = itemsOf(input);
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const message = `Invalid list: ${z.prettifyError(error)}`;
      return {
        ok: false,
        error: { code: 'invalid_arguments', message, retryable: false },
        meta: { ...meta, summary: `${tool} → invalid_arguments` },
      };
    }
    this.#onChange(this.#items);
    const done = this.#items.filter(({ status }) => status === 'done').length;
    const output = `${done} of ${this.#items.length} done.`;
    return {
      ok: true,
      output,
      content: [{ type: 'text', text: output }],
      data: { items: this.#items },
      meta: { ...meta, summary: `${tool} → ${output}` },
    };
  }
}
