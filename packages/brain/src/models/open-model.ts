import type { LanguageModelV4 } from '@ai-sdk/provider';
import { SynapseError } from '@synapse/protocol';
import { readModelName, type ModelName, type ModelProvider } from './model-name.ts';

/** Where the key of a provider is. It is read here and given to the provider alone. */
export const KEY_VARIABLES = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  compatible: ['SYNAPSE_API_KEY', 'OPENAI_API_KEY'],
} as const satisfies Record<ModelProvider | 'compatible', readonly string[]>;

/** What a model is opened with. */
export interface OpenModelOptions {
  readonly baseUrl?: string | undefined;
  /** Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

function findKey({ provider }: ModelName, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return KEY_VARIABLES[provider].map((name) => environment[name]).find((key) => key !== undefined && key !== '');
}

function requireKey(name: ModelName, key: string | undefined): string {
  if (key !== undefined) return key;
  throw new SynapseError('invalid_arguments', `No API key for ${name.provider}.`, { hint: `Set ${KEY_VARIABLES[name.provider].join(' or ')}.` });
}

type Opener = (name: ModelName, key: string | undefined) => Promise<LanguageModelV4>;

const at = (baseUrl: string | undefined): { baseURL?: string } => (baseUrl === undefined ? {} : { baseURL: baseUrl.replace(/\/+$/u, '') });

/** Each loads its library when it is used: together they take longer to load than all of Synapse. */
const OPENERS: Record<ModelName['provider'], Opener> = {
  openai: async (name, key) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ apiKey: requireKey(name, key), ...at(name.baseUrl) }).responses(name.model);
  },
  anthropic: async (name, key) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ apiKey: requireKey(name, key), ...at(name.baseUrl) })(name.model);
  },
  google: async (name, key) => {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ apiKey: requireKey(name, key), ...at(name.baseUrl) })(name.model);
  },
  compatible: async (name, key) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const baseURL = (name.baseUrl ?? '').replace(/\/+$/u, '');
    return createOpenAICompatible({ name: 'compatible', baseURL, includeUsage: true, ...(key === undefined ? {} : { apiKey: key }) })(name.model);
  },
};

/**
 * Opens a model by its name.
 *
 * @throws SynapseError `invalid_arguments` for an unknown provider, or a key that is not set
 * @example
 * const model = await openModel('anthropic/claude-sonnet-5');
 * const local = await openModel('qwen3', { baseUrl: 'http://127.0.0.1:11434/v1' });
 */
export async function openModel(model: string | undefined, { baseUrl, environment = process.env }: OpenModelOptions = {}): Promise<LanguageModelV4> {
  const name = readModelName(model, baseUrl);
  return await OPENERS[name.provider](name, findKey(name, environment));
}
