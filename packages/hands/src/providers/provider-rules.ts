/** The APIs that accept tools, distinguished by what they reject. */
export const PROVIDERS = ['openai', 'openai-strict', 'openai-responses', 'anthropic', 'gemini', 'mcp'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** What an API accepts as a tool. All rules come from the provider's documentation or from its error messages. */
export interface ProviderRules {
  /** The provider's name in messages. */
  readonly label: string;
  readonly name: RegExp;
  readonly nameRule: string;
  /** Maximum number of tools in a request. */
  readonly maxTools?: number;
  /** The pattern of valid field names. */
  readonly fieldName?: RegExp;
  readonly fieldNameRule?: string;
  /** Keywords that a schema may use; all of JSON Schema if undefined. */
  readonly keywords?: ReadonlySet<string>;
  /** Values that `format` may have; any if undefined. */
  readonly formats?: ReadonlySet<string>;
  /** Whether every field must be required and every object closed. */
  readonly strict: boolean;
  /** Whether an object must have `properties`, which may be empty. */
  readonly needsProperties: boolean;
  /** Whether an array must have `items`. */
  readonly needsItems: boolean;
  /** Whether `type` may be a list of types. */
  readonly typeLists: boolean;
  /** Whether `enum` may only contain strings. */
  readonly textEnums: boolean;
  /** Whether `$ref` is accepted, even if only to `$defs`. */
  readonly references: boolean;
  /** Whether `anyOf`, `oneOf` and `allOf` are accepted at the root. */
  readonly rootUnions: boolean;
  /** Maximum nesting depth of objects. */
  readonly maxDepth?: number;
  /** Maximum number of fields in a schema. */
  readonly maxFields?: number;
  /** Maximum number of values in all `enum`s. */
  readonly maxEnumValues?: number;
  /** Maximum number of characters in all field names and all values of `enum` and `const`. */
  readonly maxNameCharacters?: number;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const PLAIN_NAME = { name: /^[a-zA-Z0-9_-]{1,64}$/u, nameRule: '1 to 64 letters, digits, underscores and dashes' } as const;

const openai: ProviderRules = {
  label: 'OpenAI',
  ...PLAIN_NAME,
  maxTools: 128,
  strict: false,
  needsProperties: true,
  needsItems: true,
  typeLists: true,
  textEnums: false,
  references: true,
  rootUnions: false,
};

/** Structured outputs. They support `pattern` too, but only part of its syntax, so it goes to the description. */
const openaiStrict: ProviderRules = {
  ...openai,
  label: 'OpenAI strict',
  keywords: words(
    'type title description properties required additionalProperties items anyOf enum const $ref $defs format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems',
  ),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  strict: true,
  maxDepth: 10,
  maxFields: 5_000,
  maxEnumValues: 1_000,
  maxNameCharacters: 120_000,
};

/** The rules of each provider. */
export const PROVIDER_RULES: Readonly<Record<Provider, ProviderRules>> = {
  openai,
  'openai-strict': openaiStrict,
  // The Responses API is strict by default.
  'openai-responses': { ...openaiStrict, label: 'OpenAI Responses' },
  anthropic: {
    label: 'Anthropic',
    ...PLAIN_NAME,
    fieldName: /^[a-zA-Z0-9_.-]{1,64}$/u,
    fieldNameRule: '1 to 64 letters, digits, underscores, dots and dashes',
    strict: false,
    needsProperties: false,
    needsItems: false,
    typeLists: true,
    textEnums: false,
    references: true,
    rootUnions: false,
  },
  gemini: {
    label: 'Gemini',
    // The API now allows 128 characters; Vertex AI and older versions allow 64.
    name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/u,
    nameRule: '1 to 64 letters, digits, underscores, dots, colons and dashes, the first a letter or underscore',
    fieldName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/u,
    fieldNameRule: '1 to 64 letters, digits and underscores, the first no digit',
    keywords: words('type title description properties required additionalProperties items anyOf enum format minimum maximum minItems maxItems'),
    // The only format that every version of the API accepts; it also accepts the format `enum`.
    formats: new Set(['date-time']),
    strict: false,
    needsProperties: false,
    needsItems: true,
    typeLists: false,
    textEnums: true,
    references: false,
    rootUnions: false,
  },
  mcp: {
    label: 'MCP',
    name: /^[a-zA-Z0-9_./-]{1,128}$/u,
    nameRule: '1 to 128 letters, digits, underscores, dots, slashes and dashes',
    strict: false,
    needsProperties: false,
    needsItems: false,
    typeLists: true,
    textEnums: false,
    references: true,
    rootUnions: true,
  },
};
