import * as z from 'zod';
import type { AnyTool } from './tool.ts';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
}

function form(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.map(form).join(' | ');
  if (schema.items !== undefined) return `[${form(schema.items)}, …]`;
  if (schema.properties === undefined) return [schema.type ?? 'unknown'].flat().join(' | ');
  const fields = Object.entries(schema.properties).map(
    ([name, inner]) => `${name}${schema.required?.includes(name) === true ? '' : '?'}: ${form(inner)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** Formats what a tool answers a program with. */
export function describeData({ output }: Pick<AnyTool, 'output'>): string {
  return form(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as Schema);
}

/** Formats a tool's input as one readable line, such as `read_file { path: string, offset?: integer }`. */
export function describeInput(tool: Pick<AnyTool, 'name' | 'input'>): string {
  // Types that JSON Schema cannot express are shown as `unknown`: a conversion error must not hide the original mistake.
  return `${tool.name} ${form(z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as Schema)}`;
}
