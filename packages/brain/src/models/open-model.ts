import type { LanguageModelV4 } from '@ai-sdk/provider';
import { SynapseError } from '@synapse/protocol';
import { findKeychain, readKeychain, type Keychain } from './keychain.ts';
import { readModelName, type ModelName, type ModelProvider } from './model-name.ts';

/** Names of a provider's key in the environment and in the keychain. The key is sent to the provider only. */
export const KEY_VARIABLES = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  compatible: ['SYNAPSE_API_KEY', 'OPENAI_API_KEY'],
} as const satisfies Record<ModelProvider | 'compatible', readonly string[]>;

/** Options of {@link openModel}. */
export interface OpenModelOptions {
  readonly baseUrl?: string | undefined;
  /** Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The keychain to search if the environment has no key. Default: the keychain of this machine. */
  readonly keychain?: Keychain | 'none';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the API key. Does not open the keychain for local servers, because they need no key. */
async function findKey({ provider }: ModelName, environment: Environment, keychain: Keychain | undefined): Promise<string | undefined> {
  const given = KEY_VARIABLES[provider].map((name) => environment[name]).find((key) => key !== undefined && key !== '');
  if (given !== undefined || keychain === undefined || provider === 'compatible') return given;
  for (const name of KEY_VARIABLES[provider]) {
    const kept = await readKeychain(keychain, name);
    if (kept !== undefined) return kept;
  }
  return undefined;
}

function noKey({ provider }: ModelName, keychain: Keychain | undefined): SynapseError {
  const names = KEY_VARIABLES[provider];
  const kept = keychain === undefined ? '.' : `, or keep the key in the keychain: ${keychain.store(names[0])}`;
  return new SynapseError('invalid_arguments', `No API key for ${provider}.`, { hint: `Set ${names.join(' or ')}${kept}` });
}

type Opener = (name: ModelName, key: string | undefined) => Promise<LanguageModelV4>;

const at = (baseUrl: string | undefined): { baseURL?: string } => (baseUrl === undefined ? {} : { baseURL: baseUrl.replace(/\/+$/u, '') });

const apiKey = (key: string | undefined): { apiKey?: string } => (key === undefined ? {} : { apiKey: key });

/** Each loads its library on first use, because together they take longer to load than the rest of Synapse. */
const OPENERS: Record<ModelName['provider'], Opener> = {
  openai: async (name, key) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ ...apiKey(key), ...at(name.baseUrl) }).responses(name.model);
  },
  anthropic: async (name, key) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ ...apiKey(key), ...at(name.baseUrl) })(name.model);
  },
  google: async (name, key) => {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ ...apiKey(key), ...at(name.baseUrl) })(name.model);
  },
  compatible: async (name, key) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const baseURL = (name.baseUrl ?? '').replace(/\/+$/u, '');
    return createOpenAICompatible({ name: 'compatible', baseURL, includeUsage: true, ...apiKey(key) })(name.model);
  },
};

/**
 * Opens a model by name.
 *
 * @throws SynapseError `invalid_arguments` for an unknown provider or a missing key
 * @example
 * const model = await openModel('anthropic/claude-sonnet-5');
 * const local = await openModel('qwen3', { baseUrl: 'http://127.0.0.1:11434/v1' });
 */
export async function openModel(
  model: string | undefined,
  { baseUrl, environment = process.env, keychain = findKeychain() ?? 'none' }: OpenModelOptions = {},
): Promise<LanguageModelV4> {
  const name = readModelName(model, baseUrl);
  const kept = keychain === 'none' ? undefined : keychain;
  const key = await findKey(name, environment, kept);
  if (key === undefined && name.provider !== 'compatible') throw noKey(name, kept);
  return await OPENERS[name.provider](name, key);
}
