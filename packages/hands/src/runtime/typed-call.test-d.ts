// Checked by the compiler: `tsc` fails if an assertion does not hold, or if an expected error does not occur.
import type { CallResult } from '@synapse/protocol';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import { createHands } from './create-hands.ts';
import type { Hands } from './hands.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import type { ToolData, ToolInput } from './typed-call.ts';

const price = defineTool({
  name: 'price',
  title: 'Price',
  description: 'Gives the price of an article.',
  effects: 'read',
  input: z.strictObject({ article: z.string(), currency: z.string().default('EUR') }),
  output: z.strictObject({ amount: z.number() }),
  permission: () => [],
  timeoutMs: 1_000,
  keep: 'head',
  summarize: ({ article }, { amount }) => `price(${article}) → ${amount}`,
  execute: async () => ({ data: { amount: 3 }, content: '3' }),
});

declare const plain: Hands;
declare const own: Hands<typeof price>;
declare const any: Hands<AnyTool>;
declare const name: string;

/** The `data` of a successful result. */
type Data<Result> = Extract<Awaited<Result>, { ok: true }> extends { data: infer Value } ? Value : never;

// A canonical tool has a known input and known data.
const read = plain.call('read_file', { path: 'a', limit: 3 });
expectTypeOf<Data<typeof read>['content']>().toEqualTypeOf<string>();
expectTypeOf<Data<typeof read>['total_lines']>().toEqualTypeOf<number | null>();
expectTypeOf<Data<typeof read>>().toEqualTypeOf<ToolData<'read_file'>>();
expectTypeOf<ToolInput<'run_command'>>().toExtend<{ command: string }>();

// Fields with a default are optional, and so is the whole input if all of its fields are.
void plain.call('git_status');
void plain.call('git_status', {}, { dryRun: true });
void plain.call('list_directory');

// @ts-expect-error a misspelt name
void plain.call('raed_file', { path: 'a' });
// @ts-expect-error a misspelt field
void plain.call('read_file', { pth: 'a' });
// @ts-expect-error a field that is not there
void plain.call('read_file', { path: 'a', lines: 3 });
// @ts-expect-error a field of another type
void plain.call('read_file', { path: 1 });
// @ts-expect-error a missing field
void plain.call('write_file', { path: 'a' });
// @ts-expect-error a missing input
void plain.call('write_file');
// @ts-expect-error a tool that these hands do not have
void plain.call('price', { article: 'tea' });
// @ts-expect-error a misspelt option
void plain.call('git_status', {}, { dryrun: true });

// A custom tool.
const opened = createHands({ workspace: '.', tools: [price] });
expectTypeOf<Awaited<typeof opened>>().toEqualTypeOf<Hands<typeof price>>();
const priced = own.call('price', { article: 'tea' });
expectTypeOf<Data<typeof priced>>().toEqualTypeOf<{ amount: number }>();
expectTypeOf<Data<ReturnType<typeof own.call<'git_status'>>>>().toEqualTypeOf<ToolData<'git_status'>>();
// @ts-expect-error a misspelt field of one's own
void own.call('price', { artcile: 'tea' });
// @ts-expect-error a misspelt name beside one's own
void own.call('prize', { article: 'tea' });

// Tools of MCP servers, and names unknown at compile time, have the type unknown.
expectTypeOf(plain.call('mcp:github:search_issues', { query: 'crash' })).toEqualTypeOf<Promise<CallResult>>();
expectTypeOf(plain.call(name, { whatever: true })).toEqualTypeOf<Promise<CallResult>>();
expectTypeOf(plain.call(name)).toEqualTypeOf<Promise<CallResult>>();
// With unknown custom tools, any name is valid. The canonical tools keep their types.
expectTypeOf(any.call('anything', 1)).toEqualTypeOf<Promise<CallResult>>();
expectTypeOf<Data<ReturnType<typeof any.call<'read_file'>>>>().toEqualTypeOf<ToolData<'read_file'>>();

// A union of names: the inputs and data of all of them.
declare const either: 'git_status' | 'git_log';
expectTypeOf<Data<ReturnType<typeof plain.call<typeof either>>>>().toEqualTypeOf<ToolData<'git_status'> | ToolData<'git_log'>>();

// Hands with custom tools are hands.
expectTypeOf(own).toExtend<Pick<Hands, 'call'>>();
expectTypeOf(own).toExtend<Hands>();
