import type { SecretPlace, SecretWay } from './secret.ts';

/** A kind of secret that needs one word. */
export interface SecretKind {
  /** The variable that the programs of this service read. */
  readonly name: string;
  readonly also?: readonly string[];
  /** Variables with a fixed text that programs need beside it. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly places: readonly SecretPlace[];
  /** What is requested to see whether the server accepts it. */
  readonly test: string;
}

const at = (host: string, as: SecretWay): SecretPlace => ({ scheme: 'https', host, port: 443, as });

/** From the documentation of each service. */
export const SECRET_KINDS: Readonly<Record<string, SecretKind>> = {
  github: {
    name: 'GITHUB_TOKEN',
    also: ['GH_TOKEN'],
    // git sends no credentials before it is asked, and GitHub takes any user beside a token.
    places: [
      at('api.github.com', { kind: 'bearer' }),
      at('github.com', { kind: 'basic', user: 'x-access-token' }),
      at('uploads.github.com', { kind: 'bearer' }),
    ],
    test: '/user',
  },
  npm: {
    name: 'NPM_TOKEN',
    also: ['NODE_AUTH_TOKEN'],
    places: [at('registry.npmjs.org', { kind: 'bearer' })],
    test: '/-/whoami',
  },
  pypi: {
    name: 'PYPI_TOKEN',
    also: ['TWINE_PASSWORD', 'UV_PUBLISH_TOKEN'],
    texts: { TWINE_USERNAME: '__token__' },
    places: [at('upload.pypi.org', { kind: 'basic', user: '__token__' })],
    test: '/legacy/',
  },
  openai: { name: 'OPENAI_API_KEY', places: [at('api.openai.com', { kind: 'bearer' })], test: '/v1/models' },
  // Each service and region has a host of its own.
  aws: { name: 'AWS_SECRET_ACCESS_KEY', places: [], test: '/' },
  anthropic: { name: 'ANTHROPIC_API_KEY', places: [at('api.anthropic.com', { kind: 'header', name: 'x-api-key' })], test: '/v1/models' },
};
