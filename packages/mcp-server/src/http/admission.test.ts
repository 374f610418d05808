import { expect, it } from 'vitest';
import { hostCheck, refusalOf, type AdmissionRules, type RequestHead } from './admission.ts';
import { isToken, tokenCheck } from './bearer-token.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const rules: AdmissionRules = {
  servesHost: hostCheck('127.0.0.1'),
  origins: ['https://app.example'],
  hasToken: tokenCheck(TOKEN),
  maxBodyBytes: 1_000,
};
const good = { host: '127.0.0.1:7411', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

function head(headers: Record<string, string | undefined> = {}, more: Partial<RequestHead> = {}): RequestHead {
  return { method: 'POST', url: '/mcp', headers: { ...good, ...headers }, localAddress: '127.0.0.1', ...more };
}

it.each<[string, RequestHead, number | undefined]>([
  ['a good request', head(), undefined],
  ['a body with a charset', head({ 'content-type': 'application/json; charset=utf-8' }), undefined],
  ['localhost by name', head({ host: 'localhost:7411' }), undefined],
  ['localhost in IPv6', head({ host: '[::1]:7411' }), undefined],
  ['the address that it came in at', head({ host: '192.168.1.5:7411' }, { localAddress: '::ffff:192.168.1.5' }), undefined],
  ['a query', head({}, { url: '/mcp?x=1' }), undefined],
  ['no Host', head({ host: undefined }), 403],
  ['a rebound name', head({ host: 'evil.example:7411' }), 403],
  ['a rebound name with a trailing dot', head({ host: 'localhost.:7411' }), 403],
  ['a rebound name that begins well', head({ host: '127.0.0.1.evil.example' }), 403],
  ['a Host with a user', head({ host: 'localhost@evil.example' }), 403],
  ['another address', head({ host: '192.168.1.6' }, { localAddress: '192.168.1.5' }), 403],
  ['a page elsewhere', head({ origin: 'https://evil.example' }), 403],
  ['a page of nowhere', head({ origin: 'null' }), 403],
  ['a page that looks local', head({ origin: 'http://localhost.evil.example' }), 403],
  ['a page of this machine', head({ origin: 'http://localhost:6274' }), undefined],
  ['an allowed page', head({ origin: 'https://app.example' }), undefined],
  ['an allowed page on another port', head({ origin: 'https://app.example:8443' }), 403],
  ['a page elsewhere, without a token', head({ origin: 'https://evil.example', authorization: undefined }), 403],
  ['another path', head({}, { url: '/' }), 404],
  ['a path below', head({}, { url: '/mcp/../mcp' }), 404],
  ['where a client looks for OAuth', head({ authorization: undefined }, { url: '/.well-known/oauth-protected-resource' }), 404],
  ['no token', head({ authorization: undefined }), 401],
  ['another token', head({ authorization: `Bearer ${TOKEN.replace('0', '1')}` }), 401],
  ['the beginning of the token', head({ authorization: `Bearer ${TOKEN.slice(0, -1)}` }), 401],
  ['more than the token', head({ authorization: `Bearer ${TOKEN}0` }), 401],
  ['the token under another scheme', head({ authorization: `Basic ${TOKEN}` }), 401],
  ['the token alone', head({ authorization: TOKEN }), 401],
  ['the token in the URL', head({ authorization: undefined }, { url: `/mcp?access_token=${TOKEN}` }), 401],
  ['a scheme in small letters', head({ authorization: `bearer ${TOKEN}` }), undefined],
  ['a method that is none of MCP', head({}, { method: 'PUT' }), 405],
  ['a method that is none of MCP, without a token', head({ authorization: undefined }, { method: 'PUT' }), 401],
  ['OPTIONS from no page', head({ authorization: undefined }, { method: 'OPTIONS' }), 401],
  [
    'a preflight',
    head({ authorization: undefined, origin: 'https://app.example', 'access-control-request-method': 'POST' }, { method: 'OPTIONS' }),
    undefined,
  ],
  ['a preflight of a page elsewhere', head({ origin: 'https://evil.example', 'access-control-request-method': 'POST' }, { method: 'OPTIONS' }), 403],
  ['a form', head({ 'content-type': 'application/x-www-form-urlencoded' }), 415],
  ['text, which a page may send unasked', head({ 'content-type': 'text/plain' }), 415],
  ['no type', head({ 'content-type': undefined }), 415],
  ['a compressed body', head({ 'content-encoding': 'gzip' }), 415],
  ['a body over the limit', head({ 'content-length': '1001' }), 413],
  ['a stream to listen to', head({ 'content-type': undefined }, { method: 'GET' }), undefined],
])('%s', (_, given, status) => {
  expect(refusalOf(given, rules)?.status).toBe(status);
});

it('checks a host again that came in at another address', () => {
  const servesHost = hostCheck('127.0.0.1');
  expect(servesHost('192.168.1.5:7411', '192.168.1.5')).toBe(true);
  expect(servesHost('192.168.1.5:7411', '192.168.1.5')).toBe(true);
  expect(servesHost('192.168.1.5:7411', '192.168.1.6')).toBe(false);
  expect(servesHost('evil.example:7411', '192.168.1.5')).toBe(false);
  expect(servesHost('evil.example:7411', '192.168.1.5')).toBe(false);
});

it('tells how to authenticate, and never the token', () => {
  const refusal = refusalOf(head({ authorization: 'Bearer wrong' }), rules);
  expect(refusal?.headers?.['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/u);
  expect(JSON.stringify(refusal)).not.toContain(TOKEN);
});

it.each([
  ['long enough', TOKEN, true],
  ['short', TOKEN.slice(1), false],
  ['with a space', `${TOKEN} ${TOKEN}`, false],
  ['of two lines', `${TOKEN}\n${TOKEN}`, false],
  ['empty', '', false],
])('a token that is %s', (_, text, valid) => {
  expect(isToken(text)).toBe(valid);
});
