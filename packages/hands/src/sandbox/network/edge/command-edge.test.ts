import { expect, it } from 'vitest';
import type { Secret } from '../../../secrets/secret.ts';
import { CommandEdge } from './command-edge.ts';

const secret = (name: string, host: string, more: Partial<Secret> = {}): Secret => ({
  name,
  also: [],
  texts: {},
  places: [{ scheme: 'https', host, port: 443, as: { kind: 'bearer' } }],
  value: `value-of-${name}`,
  added: '',
  ...more,
});

it('puts the : between a user and a password where programs look for it', async () => {
  const places: Secret['places'] = [{ scheme: 'https', host: 'a.example.com', port: 443, as: { kind: 'basic' } }];
  const secrets = [
    secret('A', 'a.example.com', { places, value: 'me:correct-horse-battery' }),
    secret('B', 'a.example.com', { value: 'me:correct-horse' }),
  ];
  const source = { exist: () => true, secrets: async () => secrets, opensLocal: () => false, denied: () => [] };
  const edge = await CommandEdge.open({ hosts: ['a.example.com'], rules: [] }, source);
  expect(edge?.environment).toEqual({ A: expect.stringMatching(/^[\da-z]{2}:[\da-z]{21}$/u), B: expect.stringMatching(/^[\da-z]{16}$/u) });
});

it('gives a variable to the secret of its name, and not to another one that has it as a further name', async () => {
  const secrets = [
    secret('GH_TOKEN', 'git.example.com'),
    secret('GITHUB_TOKEN', 'api.github.com', { also: ['GH_TOKEN', 'OTHER'], texts: { OTHER: 'text', USER_NAME: 'me' } }),
  ];
  const source = { exist: () => true, secrets: async () => secrets, opensLocal: () => false, denied: () => [] };
  const edge = await CommandEdge.open({ hosts: ['git.example.com', 'api.github.com'], rules: [] }, source);
  const [own] = edge?.secretsFor({ scheme: 'https', host: 'git.example.com', port: 443 }) ?? [];
  const [github] = edge?.secretsFor({ scheme: 'https', host: 'api.github.com', port: 443 }) ?? [];
  expect(own?.used.value).toBe('value-of-GH_TOKEN');
  expect(edge?.environment).toEqual({
    GH_TOKEN: own?.used.placeholder,
    GITHUB_TOKEN: github?.used.placeholder,
    OTHER: github?.used.placeholder,
    USER_NAME: 'me',
  });
});
