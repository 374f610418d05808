import type { CallError } from '@synapse/protocol';
import { isTidy } from './input-schema.ts';
import { nameMap, type NameMap } from './name-map.ts';
import { type Provider, PROVIDER_RULES, type ProviderRules } from './provider-rules.ts';
import { type RepairedSchema, repairSchema } from './repair-schema.ts';
import { isSchema, type JsonSchema, list, mapKeyword, namedSchemas, requiredNames } from '../tool/json-schema.ts';
import type { NativeTool, OpenAiNativeTool, ToolDescription } from './tool-description.ts';
import { describeLeftOut, isConstraint } from './constraint-words.ts';
import { excess } from './schema-limits.ts';

/** Whether a schema says which values it accepts. `{}` accepts anything, which strict mode does not allow. */
function statesType(schema: JsonSchema): boolean {
  return ['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => Object.hasOwn(schema, keyword));
}

function isKept(keyword: string, value: unknown, schema: JsonSchema, rules: ProviderRules): boolean {
  if (rules.keywords?.has(keyword) === false) return false;
  if (keyword === 'format') return rules.formats === undefined || (typeof value === 'string' && rules.formats.has(value));
  if (keyword === 'enum') return !rules.textEnums || (schema['type'] === 'string' && list(value).every((each) => typeof each === 'string'));
  return true;
}

/** Returns a schema that also accepts null. A strict schema expresses an optional field this way. */
function nullable(schema: JsonSchema): JsonSchema {
  const { type, anyOf, description, ...rest } = schema;
  const told = description === undefined ? {} : { description };
  if (Array.isArray(anyOf)) {
    const takes = anyOf.some((each) => isSchema(each) && each['type'] === 'null');
    return takes ? schema : { ...told, anyOf: [...anyOf, { type: 'null' }], ...rest };
  }
  if (typeof type !== 'string' || Object.hasOwn(rest, 'const'))
    return { ...told, anyOf: [{ ...rest, ...(type === undefined ? {} : { type }) }, { type: 'null' }] };
  if (type === 'null') return schema;
  return { ...told, type: [type, 'null'], ...rest, ...(Array.isArray(rest['enum']) ? { enum: [...rest['enum'], null] } : {}) };
}

/** Writes a constant as an `enum` with one value, which more providers support. */
function withoutConst(schema: JsonSchema): JsonSchema {
  const { const: only, ...rest } = schema;
  return typeof only === 'string' ? { type: 'string', ...rest, enum: [only] } : schema;
}

/** Whether an object accepts fields that its schema does not name. If unspecified, the root and objects with named fields do not. */
function isOpen(schema: JsonSchema, isRoot: boolean): boolean {
  const others = schema['additionalProperties'];
  return others === undefined ? !isRoot && namedSchemas(schema['properties']).length === 0 : others !== false;
}

/**
 * Writes a repaired schema for a provider. Unsupported keywords move into the description. For a strict
 * provider every field is required, and an optional field accepts null. Returns undefined if the
 * provider's rules cannot express the schema, such as an object with any fields for a strict provider.
 */
export function projectSchema(given: JsonSchema, rules: ProviderRules): JsonSchema | undefined {
  let possible = true;
  const close = (source: JsonSchema, projected: JsonSchema): JsonSchema => {
    if (isOpen(source, source === given)) possible = false;
    const required = new Set(requiredNames(source));
    const fields = namedSchemas(projected['properties']).map(([name, schema]) => [
      name,
      required.has(name) || !isSchema(schema) ? schema : nullable(schema),
    ]);
    return { ...projected, properties: Object.fromEntries(fields), required: fields.map(([name]) => name), additionalProperties: false };
  };
  const project = (source: JsonSchema): JsonSchema => {
    const schema = rules.keywords?.has('const') === false ? withoutConst(source) : source;
    const kept: [string, unknown][] = [];
    const leftOut: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (isKept(keyword, value, schema, rules)) kept.push([keyword, mapKeyword(keyword, value, project)]);
      else leftOut.push([keyword, value]);
    }
    const projected: Record<string, unknown> = Object.fromEntries(kept);
    const description = describeLeftOut(schema['description'], Object.fromEntries(leftOut));
    if (description !== undefined) projected['description'] = description;
    if (!rules.strict) return projected;
    if (!statesType(schema) || leftOut.some(([keyword]) => !isConstraint(keyword))) possible = false;
    return schema['type'] === 'object' ? close(source, projected) : projected;
  };
  const projected = project(given);
  return possible && excess(projected, rules).length === 0 ? projected : undefined;
}

/** A tool in the form for one provider. */
export interface WireTool {
  /** The name on the wire. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether the schema satisfies the rules of a strict provider; false for other providers. */
  readonly strict: boolean;
  /** The provider's built-in type for the tool, if it has one. */
  readonly native?: NativeTool;
  /** Why the tool's schema could not be used, if so. */
  readonly problem?: Pick<CallError, 'message' | 'hint'>;
}

/** Derived data about a list of tools, computed once. */
export interface ToolCatalogue {
  readonly names: NameMap;
  /** Returns the description of a tool. */
  get(name: string): ToolDescription | undefined;
  /** Returns the name of the tool for one of OpenAI's built-in types. */
  openAiNative(type: OpenAiNativeTool['type']): string | undefined;
  /** Returns the tools in the form for a provider. */
  wireTools(provider: Provider): readonly WireTool[];
}

/** The schema of a tool whose schema is unusable: it accepts any fields, and running the tool reports what is wrong with them. */
const ANY_FIELDS: JsonSchema = { type: 'object', properties: {}, additionalProperties: true };

function wireTool({ name, description, native }: ToolDescription, repaired: RepairedSchema, names: NameMap, provider: Provider): WireTool {
  const rules = PROVIDER_RULES[provider];
  const schema = repaired.ok ? repaired.schema : ANY_FIELDS;
  const projected = projectSchema(schema, rules);
  // If strict rules cannot express the schema, use the non-strict ones.
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

/** Cached per list: the owner of the tools reuses the list while the tools are the same. */
const known = new WeakMap<readonly ToolDescription[], ToolCatalogue>();

/**
 * Returns the catalog of a list of tools.
 *
 * @throws SynapseError `already_exists` for names that become the same on the wire
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
