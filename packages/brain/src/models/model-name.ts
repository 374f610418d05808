import { SynapseError } from '@synapse/protocol';

/** Providers with their own API. */
export const MODEL_PROVIDERS = ['openai', 'anthropic', 'google'] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** A model and its server. `compatible`: a server with a chat completions API, such as Ollama, LM Studio or vLLM. */
export interface ModelName {
  readonly provider: ModelProvider | 'compatible';
  /** The provider's name for the model. */
  readonly model: string;
  /** Always set for `compatible`. */
  readonly baseUrl: string | undefined;
}

/** Prefix for a compatible server's model whose name starts with a provider's name, such as `compatible/openai/gpt-oss-20b`. */
const COMPATIBLE = 'compatible/';

const isProvider = (name: string): name is ModelProvider => MODEL_PROVIDERS.some((provider) => provider === name);

const EXAMPLES =
  'Examples: --model openai/gpt-5.2, --model anthropic/claude-sonnet-5, --model google/gemini-3-pro, or --base-url http://127.0.0.1:11434/v1 --model qwen3.';

/**
 * Parses `--model` and `--base-url`. If the model names no known provider, a base URL means a compatible server.
 *
 * @throws SynapseError `invalid_arguments` for an invalid model name or URL
 */
export function readModelName(model: string | undefined, baseUrl?: string): ModelName {
  if (baseUrl !== undefined) assertUrl(baseUrl);
  if (model === undefined || model.trim() === '') {
    throw new SynapseError('invalid_arguments', 'No model given.', { hint: `Pass --model. ${EXAMPLES}` });
  }
  const slash = model.indexOf('/');
  const provider = slash === -1 ? '' : model.slice(0, slash);
  if (isProvider(provider) && slash < model.length - 1) return { provider, model: model.slice(slash + 1), baseUrl };
  const own = model.startsWith(COMPATIBLE) ? model.slice(COMPATIBLE.length) : model;
  if (baseUrl !== undefined && own !== '') return { provider: 'compatible', model: own, baseUrl };
  throw new SynapseError('invalid_arguments', `Unknown model provider: ${JSON.stringify(model.slice(0, 80))}`, {
    hint: `Write provider/name with one of ${MODEL_PROVIDERS.join(', ')}, or pass --base-url of a server that speaks chat completions. ${EXAMPLES}`,
  });
}

function assertUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new SynapseError('invalid_arguments', `Invalid base URL: ${JSON.stringify(text.slice(0, 200))}`, {
      hint: 'Pass one such as http://127.0.0.1:11434/v1.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new SynapseError('invalid_arguments', 'The base URL holds a user name or password.', {
      hint: 'Leave it out, and set the key in its environment variable.',
    });
  }
}
