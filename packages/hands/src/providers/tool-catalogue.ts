import type { CallError } from '@synapse/protocol';
import { isTidy } from './input-schema.ts';
import { nameMap, type NameMap } from './name-map.ts';
import { projectSchema } from './project-schema.ts';
import { PROVIDER_RULES, type Provider } from './provider-rules.ts';
import { repairSchema, type RepairedSchema } from './repair-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import type { NativeTool, OpenAiNativeTool, ToolDescription } from './tool-description.ts';

/** A tool as one provider takes it. */
export interface WireTool {
  /** The name on the wire. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether the schema keeps to the rules of a strict provider; elsewhere false. */
  readonly strict: boolean;
  /** How a provider knows the tool by its type, where one does. */
  readonly native?: NativeTool;
  /** Why the tool's own schema could not be used, where that is so. */
  readonly problem?: Pick<CallError, 'message' | 'hint'>;
}

/** What is known of a list of tools, worked out once. */
export interface ToolCatalogue {
  readonly names: NameMap;
  /** The description of a tool by its own name. */
  get(name: string): ToolDescription | undefined;
  /** The own name of the tool that OpenAI knows by a type. */
  openAiNative(type: OpenAiNativeTool['type']): string | undefined;
  /** The tools as a provider takes them. */
  wireTools(provider: Provider): readonly WireTool[];
}

/** Without a usable schema a tool takes any fields; whoever runs it says what is wrong with them. */
const ANY_FIELDS: JsonSchema = { type: 'object', properties: {}, additionalProperties: true };

function wireTool({ name, description, native }: ToolDescription, repaired: RepairedSchema, names: NameMap, provider: Provider): WireTool {
  const rules = PROVIDER_RULES[provider];
  const schema = repaired.ok ? repaired.schema : ANY_FIELDS;
  const projected = projectSchema(schema, rules);
  // What strict rules cannot say is said without them.
  const loose = projected ?? projectSchema(schema, PROVIDER_RULES.openai) ?? schema;
  const strict = rules.strict && projected !== undefined;
  return {
    name: names.toWire(name),
    description,
    inputSchema: loose,
    strict,
    ...(native === undefined ? {} : { native }),
    ...(repaired.ok ? {} : { problem: repaired.error }),
  };
}

/** Lists are made once and kept by whoever owns the tools, so what was worked out for one can be kept with it. */
const known = new WeakMap<readonly ToolDescription[], ToolCatalogue>();

/**
 * The catalogue of a list of tools.
 *
 * @throws SynapseError `already_exists` for names that cannot be told apart
 */
export function toolCatalogue(tools: readonly ToolDescription[]): ToolCatalogue {
  const before = known.get(tools);
  if (before !== undefined) return before;
  const names = nameMap(tools.map(({ name }) => name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const wireTools = new Map<Provider, readonly WireTool[]>();
  let repaired: readonly RepairedSchema[] | undefined;
  const write = (provider: Provider): readonly WireTool[] => {
    const schemas = (repaired ??= tools.map(({ inputSchema }) =>
      isTidy(inputSchema) ? { ok: true, schema: inputSchema, repairs: [] } : repairSchema(inputSchema),
    ));
    return tools.flatMap((tool, index) => {
      const schema = schemas[index];
      return schema === undefined ? [] : [wireTool(tool, schema, names, provider)];
    });
  };
  const made: ToolCatalogue = {
    names,
    get: (name) => byName.get(name),
    openAiNative: (type) => tools.find(({ native }) => native?.provider === 'openai' && native.definition.type === type)?.name,
    wireTools: (provider) => {
      const written = wireTools.get(provider) ?? write(provider);
      wireTools.set(provider, written);
      return written;
    },
  };
  known.set(tools, made);
  return made;
}
