import { describe, expect, it } from 'vitest';
import { placeholderFor } from './placeholder.ts';
import { putSecret, type RequestHead } from './put-secret.ts';
import type { SecretWay } from './secret.ts';

const secret = { value: 'ghp_realrealreal$&', placeholder: 'ghp_0123456789abcdef' };
const at = (as: SecretWay) => ({ scheme: 'https', host: 'api.example.com', port: 443, as }) as const;
const put = (as: SecretWay, head: Partial<RequestHead>) => putSecret({ path: '/x?a=1', headers: {}, ...head }, at(as), secret);
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each<readonly [SecretWay, string]>([
  // Its requests are signed with it.
  [{ kind: 'aws', id: 'AKIAIOSFODNN7EXAMPLE' }, 'x-api-key'],
  [{ kind: 'env' }, 'user-agent'],
  [{ kind: 'env' }, 'x-correlation-id'],
  [{ kind: 'env' }, 'x-amz-meta-note'],
  [{ kind: 'env' }, 'content-disposition'],
  // A release of GitHub shows everybody the type of its files.
  [{ kind: 'bearer' }, 'content-type'],
  [{ kind: 'env' }, 'content-language'],
  [{ kind: 'env' }, 'cache-control'],
  [{ kind: 'env' }, 'x-ms-blob-content-type'],
  [{ kind: 'env' }, 'x-ms-tags'],
  [{ kind: 'env' }, 'x-amz-tagging'],
])('a secret as %j is not put into %s', (as, name) => {
  const headers = { authorization: 'of its own', [name]: `a ${secret.placeholder}` };
  expect(put(as, { headers })).toEqual({ path: '/x?a=1', headers, isPut: false });
});

describe('a secret in a request', () => {
  it.each<readonly [string, SecretWay, Partial<RequestHead>, Partial<RequestHead>]>([
    ['bearer', { kind: 'bearer' }, {}, { headers: { authorization: `Bearer ${secret.value}` } }],
    ['basic with a user', { kind: 'basic', user: 'me' }, {}, { headers: { authorization: basic(`me:${secret.value}`) } }],
    ['basic with its own user', { kind: 'basic' }, {}, { headers: { authorization: basic(secret.value) } }],
    ['a header', { kind: 'header', name: 'x-api-key' }, {}, { headers: { 'x-api-key': secret.value } }],
    ['a parameter', { kind: 'query', name: 'key' }, {}, { path: `/x?a=1&key=${encodeURIComponent(secret.value)}` }],
    [
      'a parameter of the command',
      { kind: 'query', name: 'key' },
      { path: `/x?key=${secret.placeholder}&b` },
      { path: `/x?b&key=${encodeURIComponent(secret.value)}` },
    ],
    [
      'a parameter of an address that an answer had, and that was masked',
      { kind: 'query', name: 'key' },
      { path: `/x/?key=${'*'.repeat(secret.value.length)}&page=2` },
      { path: `/x/?page=2&key=${encodeURIComponent(secret.value)}` },
    ],
    [
      'another scheme of the command',
      { kind: 'bearer' },
      { headers: { authorization: `token ${secret.placeholder}` } },
      { headers: { authorization: `token ${secret.value}` } },
    ],
    [
      'Basic of the command',
      { kind: 'env' },
      { headers: { authorization: basic(`u:${secret.placeholder}`) } },
      { headers: { authorization: basic(`u:${secret.value}`) } },
    ],
    ['several texts of a header', { kind: 'env' }, { headers: { 'x-a': ['1', secret.placeholder] } }, { headers: { 'x-a': ['1', secret.value] } }],
  ])('as %s', (_, as, given, expected) => {
    expect(put(as, given)).toMatchObject({ ...expected, isPut: true });
  });

  it.each<readonly [string, SecretWay, Partial<RequestHead>]>([
    ['beside a credential of the command', { kind: 'bearer' }, { headers: { authorization: 'Bearer mine' } }],
    ['beside a parameter of the command', { kind: 'query', name: 'key' }, { path: '/x?key=mine' }],
    ['beside asterisks of the command', { kind: 'query', name: 'key' }, { path: '/x?key=***' }],
    ['in a path', { kind: 'env' }, { path: `/${secret.placeholder}` }],
    ['in a query that is not its place', { kind: 'env' }, { path: `/?q=${secret.placeholder}` }],
    ['in what servers log and show', { kind: 'env' }, { headers: { 'user-agent': secret.placeholder, referer: secret.placeholder } }],
    ['unasked, as env', { kind: 'env' }, {}],
  ])('is not put %s', (_, as, given) => {
    const result = put(as, given);
    expect(result.isPut).toBe(false);
    expect(JSON.stringify(result)).not.toContain('realreal');
  });
});

describe('a placeholder', () => {
  it.each(['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'github_pat_11ABC', 'sk-ant-api03-xyz', 'no-kind-at-all-here', 'short-one'])(
    'for %s',
    (value) => {
      const placeholder = placeholderFor(value);
      expect(placeholder.length).toBeGreaterThanOrEqual(value.length);
      expect(placeholderFor(value)).not.toBe(placeholder);
      const begin = /^(?:ghp_|github_pat_|sk-ant-api03-)?/u.exec(value)?.[0] ?? '';
      expect(placeholder.startsWith(begin)).toBe(true);
      expect(placeholder.slice(begin.length)).toMatch(/^[\da-z]{16,}$/u);
    },
  );
});
