import * as z from 'zod';

// The documented schema rules of the APIs, written independently of the product, so that a mistake
// there is not repeated here.

const NAMES = { plain: /^[a-zA-Z0-9_-]{1,64}$/u, gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/u };
const told = { title: z.string().optional(), description: z.string().optional() };
const bounds = {
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().optional(),
};
const scalar = z.enum(['string', 'number', 'integer', 'boolean', 'null']);

/** Structured outputs: every object is closed, and all its fields are required. */
const StrictObject: z.ZodType = z.lazy(() =>
  z
    .strictObject({
      type: z.literal('object'),
      properties: z.record(z.string(), StrictNode),
      required: z.array(z.string()),
      additionalProperties: z.literal(false),
      ...told,
    })
    .refine(({ properties, required }) => JSON.stringify(Object.keys(properties).sort()) === JSON.stringify([...required].sort()), {
      message: "'required' must name every key in properties",
    }),
);
const StrictNode: z.ZodType = z.lazy(() =>
  z.union([
    StrictObject,
    z.strictObject({ type: z.literal('array'), items: StrictNode, minItems: z.int().optional(), maxItems: z.int().optional(), ...told }),
    z.strictObject({
      type: z.tuple([z.literal('array'), z.literal('null')]),
      items: StrictNode,
      minItems: z.int().optional(),
      maxItems: z.int().optional(),
      ...told,
    }),
    z.strictObject({
      type: z.union([scalar, z.tuple([scalar, z.literal('null')])]),
      enum: z.array(z.unknown()).min(1).optional(),
      const: z.unknown().optional(),
      format: z.enum(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']).optional(),
      ...bounds,
      ...told,
    }),
    z.strictObject({ anyOf: z.array(StrictNode).min(1), ...told }),
  ]),
);

const type = z.enum(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

/** JSON Schema draft 2020-12, as far as the API validates it. */
const plainNode = (needs: { items: boolean; properties: boolean }, key: RegExp): z.ZodType => {
  const node: z.ZodType = z.lazy(() =>
    z
      .looseObject({
        type: z.union([type, z.array(type)]).optional(),
        properties: z.record(z.string().regex(key, 'property keys must match the pattern'), node).optional(),
        required: z.array(z.string()).optional(),
        items: node.optional(),
        anyOf: z.array(node).min(1).optional(),
        enum: z.array(z.unknown()).optional(),
        exclusiveMinimum: z.number().optional(),
        exclusiveMaximum: z.number().optional(),
      })
      .refine((schema) => !needs.items || schema.type !== 'array' || schema.items !== undefined, { message: 'array schema missing items' })
      .refine((schema) => !needs.properties || schema.type !== 'object' || schema.properties !== undefined, {
        message: 'object schema missing properties',
      }),
  );
  return node;
};

const noRootUnion = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && !['anyOf', 'oneOf', 'allOf', 'enum', 'not'].some((keyword) => keyword in schema);
const isObject = (schema: unknown): boolean => typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'object';
const root = (node: z.ZodType): z.ZodType =>
  node
    .refine(isObject, { message: 'schema must have type "object"' })
    .refine(noRootUnion, { message: 'schema must not have oneOf, anyOf, allOf, enum or not at the top level' });

const OpenAiParameters = root(plainNode({ items: true, properties: true }, /^/u));

const openAiFunction = z
  .strictObject({
    name: z.string().regex(NAMES.plain),
    description: z.string().optional(),
    parameters: z.unknown(),
    strict: z.boolean().nullish(),
  })
  .superRefine(({ name, parameters, strict }, context) => {
    const parsed = (strict === true ? StrictObject : OpenAiParameters).safeParse(parameters);
    if (!parsed.success) context.addIssue({ code: 'custom', message: `Invalid schema for function '${name}': ${z.prettifyError(parsed.error)}` });
  });

const unique = <Tool>(name: (tool: Tool) => string) => ({
  check: (tools: readonly Tool[]): boolean => new Set(tools.map(name)).size === tools.length,
  message: 'tool names must be unique',
});
function list<Tool extends z.ZodType>(tool: Tool, name: (tool: z.infer<Tool>) => string, most: number): z.ZodType {
  const { check, message } = unique(name);
  return z.array(tool).min(1).max(most).refine(check, { message });
}

export const OpenAiChatTools = list(z.strictObject({ type: z.literal('function'), function: openAiFunction }), (tool) => tool.function.name, 128);

/** Tools that the Responses API identifies by type: they have no name and no schema. */
export const OpenAiNativeTool = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('local_shell') }),
  z.strictObject({ type: z.literal('apply_patch') }),
  z.strictObject({ type: z.literal('shell'), environment: z.strictObject({ type: z.literal('local') }).nullish() }),
]);

export const OpenAiResponsesTools = list(
  z.union([
    OpenAiNativeTool,
    z
      .looseObject({ type: z.literal('function'), name: z.string(), parameters: z.unknown(), strict: z.boolean().nullish() })
      .superRefine(({ type, ...rest }, context) => {
        const parsed = openAiFunction.safeParse(type === 'function' ? rest : undefined);
        if (!parsed.success) context.addIssue({ code: 'custom', message: z.prettifyError(parsed.error) });
      }),
  ]),
  (tool) => ('name' in tool ? tool.name : tool.type),
  128,
);

/** Tools that the Messages API identifies by type, each with a fixed name. */
export const AnthropicNativeTool = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('bash_20250124'), name: z.literal('bash') }),
  z.strictObject({ type: z.literal('text_editor_20250728'), name: z.literal('str_replace_based_edit_tool'), max_characters: z.int().optional() }),
]);

export const AnthropicTools = list(
  z.union([
    AnthropicNativeTool,
    z.looseObject({
      type: z.literal('custom').optional(),
      name: z.string().regex(NAMES.plain),
      description: z.string().optional(),
      input_schema: root(plainNode({ items: false, properties: false }, /^[a-zA-Z0-9_.-]{1,64}$/u)),
    }),
  ]),
  (tool) => tool.name,
  10_000,
);

/** `parametersJsonSchema`: only the documented keywords. */
const GeminiJsonNode: z.ZodType = z.lazy(() =>
  z
    .strictObject({
      type: type.optional(),
      format: z.string().optional(),
      enum: z
        .array(z.union([z.string(), z.number()]))
        .min(1)
        .optional(),
      items: GeminiJsonNode.optional(),
      prefixItems: z.array(GeminiJsonNode).optional(),
      minItems: z.int().optional(),
      maxItems: z.int().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      anyOf: z.array(GeminiJsonNode).min(1).optional(),
      properties: z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/u), GeminiJsonNode).optional(),
      additionalProperties: z.union([z.boolean(), GeminiJsonNode]).optional(),
      required: z.array(z.string()).optional(),
      propertyOrdering: z.array(z.string()).optional(),
      ...told,
    })
    .refine((schema) => schema.type !== 'array' || schema.items !== undefined, { message: 'items: missing field' })
    .refine(({ properties, required }) => required === undefined || required.every((name) => properties?.[name] !== undefined), {
      message: 'required: property is not defined',
    }),
);

/** `parameters`: the subset of OpenAPI 3.0, where an unknown name is an error. */
const GeminiOpenApiNode: z.ZodType = z.lazy(() =>
  z.strictObject({
    type: z.string().optional(),
    format: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.string()).min(1).optional(),
    items: GeminiOpenApiNode.optional(),
    minItems: z.unknown().optional(),
    maxItems: z.unknown().optional(),
    minLength: z.unknown().optional(),
    maxLength: z.unknown().optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    anyOf: z.array(GeminiOpenApiNode).optional(),
    properties: z.record(z.string(), GeminiOpenApiNode).optional(),
    required: z.array(z.string()).optional(),
    default: z.unknown().optional(),
    example: z.unknown().optional(),
    propertyOrdering: z.array(z.string()).optional(),
    ...told,
  }),
);

export const GeminiTools = z.array(
  z.looseObject({
    functionDeclarations: list(
      z
        .strictObject({
          name: z.string().regex(NAMES.gemini),
          description: z.string().min(1),
          parameters: GeminiOpenApiNode.nullish(),
          parametersJsonSchema: GeminiJsonNode.optional(),
        })
        .refine(({ parameters, parametersJsonSchema }) => parameters == null || parametersJsonSchema === undefined, {
          message: 'parameters and parametersJsonSchema are mutually exclusive',
        }),
      (tool) => tool.name,
      512,
    ),
  }),
);
