import * as z from 'zod';
import { type JsonSchema, mapSubschemas } from '../tool/json-schema.ts';

/** Whether a keyword tells a model nothing: `$schema`, and the bounds that zod writes for every integer. */
function isNoise(keyword: string, value: unknown): boolean {
  return (
    keyword === '$schema' ||
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}

/** Removes keywords that cost tokens but tell a model nothing: `$schema` and the bounds of safe integers. */
export function slimSchema(schema: JsonSchema): JsonSchema {
  const telling = Object.entries(schema).filter(([keyword, value]) => !isNoise(keyword, value));
  return mapSubschemas(Object.fromEntries(telling), slimSchema);
}

type Checks = z.core.$ZodTypeDef['checks'];
/** Undefined if zod's conversion has to be used. */
type Written = Record<string, unknown> | undefined;

/** Maximum number of schemas converted here. A recursive schema has no end; zod's conversion gives it a name. */
const MAX_SCHEMAS = 500;

/** The number of schemas that may still be converted. */
interface Budget {
  schemas: number;
}

/** The bounds of a number or of a length. */
interface Bounds {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

/** A zod check in the fields that it has at run time; zod's types distinguish more kinds. */
interface Check {
  readonly check: string;
  readonly value?: unknown;
  readonly inclusive?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly length?: number;
}

const most = (bounds: Bounds, key: 'minimum' | 'exclusiveMinimum', value = -Infinity): number =>
  (bounds[key] = Math.max(bounds[key] ?? value, value));
const least = (bounds: Bounds, key: 'maximum' | 'exclusiveMaximum', value = Infinity): number =>
  (bounds[key] = Math.min(bounds[key] ?? value, value));

/** What each check adds to the bounds. Checks not listed are left to zod. A refinement (`custom`) cannot be expressed in a schema. */
const CHECKS: Readonly<Record<string, (bounds: Bounds, check: Check) => unknown>> = {
  custom: () => undefined,
  min_length: (bounds, { minimum }) => most(bounds, 'minimum', minimum),
  max_length: (bounds, { maximum }) => least(bounds, 'maximum', maximum),
  length_equals: (bounds, { length }) => [most(bounds, 'minimum', length), least(bounds, 'maximum', length)],
  greater_than: (bounds, { value, inclusive }) => most(bounds, inclusive === true ? 'minimum' : 'exclusiveMinimum', Number(value)),
  less_than: (bounds, { value, inclusive }) => least(bounds, inclusive === true ? 'maximum' : 'exclusiveMaximum', Number(value)),
};

function boundsOf(checks: Checks): Bounds | undefined {
  const bounds: Bounds = {};
  for (const { _zod } of checks ?? []) {
    const add = Object.hasOwn(CHECKS, _zod.def.check) ? CHECKS[_zod.def.check] : undefined;
    if (add === undefined) return undefined;
    add(bounds, _zod.def);
  }
  return bounds;
}

function size(checks: Checks, [least, most]: readonly [least: string, most: string]): Written {
  const bounds = boundsOf(checks);
  if (bounds === undefined) return undefined;
  const { minimum, maximum } = bounds;
  return { ...(minimum === undefined ? {} : { [least]: minimum }), ...(maximum === undefined ? {} : { [most]: maximum }) };
}

function number(def: z.core.$ZodNumberDef): Written {
  const { format } = def as { format?: string };
  const bounds = format === undefined || format === 'safeint' ? boundsOf(def.checks) : undefined;
  if (bounds === undefined) return undefined;
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = bounds;
  const written: Record<string, unknown> = { type: format === 'safeint' ? 'integer' : 'number' };
  // Keep the narrower of two bounds. The bounds of safe integers tell a model nothing.
  if (exclusiveMinimum > -Infinity && exclusiveMinimum >= minimum) written['exclusiveMinimum'] = exclusiveMinimum;
  else if (minimum > Number.MIN_SAFE_INTEGER) written['minimum'] = minimum;
  if (exclusiveMaximum < Infinity && exclusiveMaximum <= maximum) written['exclusiveMaximum'] = exclusiveMaximum;
  else if (maximum < Number.MAX_SAFE_INTEGER) written['maximum'] = maximum;
  return written;
}

function object({ shape, catchall }: z.core.$ZodObjectDef, budget: Budget): Written {
  const properties: [string, unknown][] = [];
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const written = convert(field, budget);
    // The repair of schemas rejects a name that would set a prototype.
    if (written === undefined || name === '__proto__') return undefined;
    properties.push([name, written]);
    if (mustBeGiven(field)) required.push(name);
  }
  const closed = catchall?._zod.def.type === 'never';
  if (catchall !== undefined && !closed) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

const defOf = (schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] => (schema as z.core.$ZodTypes)._zod.def;

/** The input schema of a pipe. For a pipe that starts with a transform, this is its output schema. */
function entrance({ in: first, out }: z.core.$ZodPipeDef): z.core.$ZodType {
  return defOf(first).type === 'transform' ? out : first;
}

/** Whether a field is required; a field with a default is not. */
function mustBeGiven(field: z.core.$ZodType): boolean {
  const def = defOf(field);
  return def.type === 'pipe' && entrance(def) === def.out ? mustBeGiven(def.out) : field._zod.optin === undefined;
}

function union({ options, inclusive }: z.core.$ZodUnionDef, budget: Budget): Written {
  const anyOf = options.map((option) => convert(option, budget));
  // zod writes an exclusive union with another keyword, and merges bare types into a list.
  if (inclusive === false || anyOf.includes(undefined) || anyOf.every((one) => Object.keys(one ?? {}).join() === 'type')) return undefined;
  return { anyOf };
}

function literal({ values }: z.core.$ZodLiteralDef<z.core.util.Literal>): Written {
  const [only, ...more] = values;
  const plain = ['string', 'number', 'boolean'].includes(typeof only) && more.length === 0;
  return plain ? { type: typeof only, const: only } : undefined;
}

function enumeration({ entries }: z.core.$ZodEnumDef): Written {
  const values = Object.values(entries);
  return values.length > 0 && values.every((value) => typeof value === 'string') ? { type: 'string', enum: values } : undefined;
}

function write(def: ReturnType<typeof defOf>, budget: Budget): Written {
  if (def.type === 'number') return number(def);
  if (def.type === 'boolean') return { type: 'boolean' };
  if (def.type === 'enum') return enumeration(def);
  if (def.type === 'literal') return literal(def);
  if (def.type === 'object') return object(def, budget);
  if (def.type === 'union') return union(def, budget);
  if (def.type === 'string' && !('format' in def)) {
    const sizes = size(def.checks, ['minLength', 'maxLength']);
    return sizes && { type: 'string', ...sizes };
  }
  if (def.type === 'array') {
    const [sizes, items] = [size(def.checks, ['minItems', 'maxItems']), convert(def.element, budget)];
    return sizes && items && { ...sizes, type: 'array', items };
  }
  return undefined;
}

/** The schema that another schema wraps, and the keywords that the wrapper adds. */
function inside(def: ReturnType<typeof defOf>): { inner: z.core.$ZodType; own: Record<string, unknown> } | undefined {
  if (def.type === 'optional') return { inner: def.innerType, own: {} };
  if (def.type === 'default') return { inner: def.innerType, own: { default: structuredClone(def.defaultValue) } };
  return def.type === 'pipe' ? { inner: entrance(def), own: {} } : undefined;
}

/** Whether parsing changes part of a value. A default is then no valid input, and zod omits it. */
function changes(schema: z.core.$ZodType): boolean {
  const def = defOf(schema);
  if (def.type === 'object') return Object.values(def.shape).some(changes);
  if (def.type === 'union') return def.options.some(changes);
  if (def.type === 'array') return changes(def.element);
  return def.type === 'pipe' || ('innerType' in def && changes(def.innerType));
}

function convert(schema: z.core.$ZodType, budget: Budget): Written {
  budget.schemas -= 1;
  const meta = z.globalRegistry.get(schema);
  const plain = schema._zod.toJSONSchema === undefined && Object.keys(meta ?? {}).every((key) => key === 'description');
  if (budget.schemas < 0 || !plain) return undefined;
  const told = meta?.description === undefined ? {} : { description: meta.description };
  const around = inside(defOf(schema));
  if (around === undefined) {
    const written = write(defOf(schema), budget);
    return written && { ...written, ...told };
  }
  const own = { ...around.own, ...told };
  const inner = convert(around.inner, budget);
  if (inner === undefined || ('default' in own && changes(around.inner))) return undefined;
  // The schema's keywords come first, in zod's order.
  return { ...own, ...inner, ...own };
}

/**
 * Returns the JSON Schema of the input, for the types that most tools use; undefined for any other type.
 *
 * The result equals `slimSchema(z.toJSONSchema(schema, { io: 'input' }))` in a fraction of the time. That
 * conversion is most of the time needed to list all tools in a new process. The result needs no repair
 * for any provider.
 */
export function zodSchema(schema: z.ZodObject): JsonSchema | undefined {
  return convert(schema, { schemas: MAX_SCHEMAS });
}

type InputSchema = JsonSchema & { readonly type: 'object' };

/** Schemas that were converted here and need no repair. */
const tidy = new WeakSet<JsonSchema>();

/**
 * Writes an input as JSON Schema. It describes what may be sent, so a field with a default is optional.
 *
 * @throws if JSON Schema cannot express the input
 */
export function inputSchemaOf(input: z.ZodObject): InputSchema {
  const written = zodSchema(input);
  const schema: InputSchema = { ...(written ?? slimSchema(z.toJSONSchema(input, { io: 'input' }))), type: 'object' };
  if (written !== undefined) tidy.add(schema);
  return schema;
}

/** Whether a schema is known to have a form that every provider accepts. */
export function isTidy(schema: JsonSchema): boolean {
  return tidy.has(schema);
}
