/** The ways in which APIs take tools, as far as what they refuse differs. */
export const PROVIDERS = ['openai', 'openai-strict', 'openai-responses', 'anthropic', 'gemini', 'mcp'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** What an API takes as a tool. Everything here is documented by the provider, or told by its error messages. */
export interface ProviderRules {
  /** How the provider is called in a message. */
  readonly label: string;
  readonly name: RegExp;
  readonly nameRule: string;
  /** Most tools of a request. */
  readonly maxTools?: number;
  /** What a field's name may be. */
  readonly fieldName?: RegExp;
  readonly fieldNameRule?: string;
  /** Keywords that may stand in a schema; without this, all of JSON Schema. */
  readonly keywords?: ReadonlySet<string>;
  /** Values that `format` may have; without this, any. */
  readonly formats?: ReadonlySet<string>;
  /** Whether every field must be required and every object closed. */
  readonly strict: boolean;
  /** Whether an object must have `properties`, if empty ones. */
  readonly needsProperties: boolean;
  /** Whether an array must have `items`. */
  readonly needsItems: boolean;
  /** Whether a list of types may stand for one. */
  readonly typeLists: boolean;
  /** Whether `enum` is for texts only. */
  readonly textEnums: boolean;
  /** Whether `$ref` is taken at all, if only to `$defs`. */
  readonly references: boolean;
  /** Whether `anyOf`, `oneOf` and `allOf` may stand at the root. */
  readonly rootUnions: boolean;
  /** Levels of objects in one another. */
  readonly maxDepth?: number;
  /** Fields in all. */
  readonly maxFields?: number;
  /** Values of all `enum`s. */
  readonly maxEnumValues?: number;
  /** Characters of all names of fields and all values of `enum` and `const`. */
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

/** Structured outputs. `pattern` is taken too, but not all of its syntax, so it is told in words. */
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

/** What each provider refuses. */
export const PROVIDER_RULES: Readonly<Record<Provider, ProviderRules>> = {
  openai,
  'openai-strict': openaiStrict,
  // The Responses API is strict where nothing is said.
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
    // The API takes 128 characters by now, Vertex AI and older versions 64.
    name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/u,
    nameRule: '1 to 64 letters, digits, underscores, dots, colons and dashes, the first a letter or underscore',
    fieldName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/u,
    fieldNameRule: '1 to 64 letters, digits and underscores, the first no digit',
    keywords: words('type title description properties required additionalProperties items anyOf enum format minimum maximum minItems maxItems'),
    // All that every version of the API takes beside its own `enum`.
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
