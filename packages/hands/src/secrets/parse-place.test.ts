import { describe, expect, it } from 'vitest';
import { assertSecretName, checkSecretValue, parseServer, parseWay } from './parse-place.ts';
import { placeText, wayText } from './secret.ts';

describe('a server', () => {
  it.each([
    ['api.github.com', { scheme: 'https', host: 'api.github.com', port: 443 }, 'api.github.com'],
    ['https://API.github.com/', { scheme: 'https', host: 'api.github.com', port: 443 }, 'api.github.com'],
    ['nexus:8443', { scheme: 'https', host: 'nexus', port: 8443 }, 'nexus:8443'],
    ['10.0.0.5:8443', { scheme: 'https', host: '10.0.0.5', port: 8443 }, '10.0.0.5:8443'],
    ['http://localhost:4873', { scheme: 'http', host: 'localhost', port: 4873 }, 'http://localhost:4873'],
    ['http://127.0.0.1', { scheme: 'http', host: '127.0.0.1', port: 80 }, 'http://127.0.0.1'],
  ] as const)('%s', (text, expected, written) => {
    expect(parseServer(text)).toEqual(expected);
    expect(placeText(parseServer(text))).toBe(written);
  });

  it.each([
    '',
    '*',
    '*.github.com',
    'api.github.com.',
    'a@b.com',
    'b.com/x',
    'b.com:0',
    'b.com:99999',
    '127.1',
    '0x7f.1',
    '[::1]',
    'ex ample.com',
    'exämple.com',
    'ftp://b.com',
    'a..b',
  ])('%j is none', (text) => {
    expect(() => parseServer(text)).toThrow('is no name of a host');
  });

  it.each(['http://api.github.com', 'http://10.0.0.5', 'http://localhost.example.com'])('%s would be without encryption', (text) => {
    expect(() => parseServer(text)).toThrow('without encryption');
  });
});

describe('a way', () => {
  it.each(['bearer', 'basic', 'basic me', 'header x-key', 'query api_key', 'env'])('%s', (text) => {
    expect(wayText(parseWay(text))).toBe(text);
  });

  it.each(['', 'Bearer', 'bearer x', 'header', 'header Host', 'header Content-Length', 'header a b', 'query', 'query a&b', 'basic a:b', 'cookie'])(
    '%j is none',
    (text) => {
      expect(() => parseWay(text)).toThrow('--as does not know');
    },
  );
});

it.each(['PATH', 'LD_PRELOAD', 'https_proxy', 'HTTPS_PROXY', 'NODE_OPTIONS', 'A-B', '1A', ''])('%j is no name', (name) => {
  expect(() => assertSecretName(name)).toThrow('is no name for a secret');
});

describe('a value', () => {
  it('loses the line break of a file', () => {
    expect(checkSecretValue('0123456789\n', [])).toBe('0123456789');
  });

  it.each([
    ['abc1', 'too short'],
    ['----------------', 'too simple'],
    ['0101010101010101', 'too simple'],
    ['x'.repeat(9_000), 'too long'],
    ['first line\nsecond line', 'line breaks'],
    ['with\u0000zero', 'line breaks'],
    ['schlüssel-123', 'line breaks'],
    [' around it ', 'line breaks'],
  ])('%j is refused, and not repeated', (value, message) => {
    expect(() => checkSecretValue(value, [])).toThrow(message);
    expect(() => checkSecretValue(value, [])).not.toThrow(value);
  });

  it('for basic without a user is user:password', () => {
    expect(() => checkSecretValue('0123456789', [{ kind: 'basic' }])).toThrow('user:password');
    expect(checkSecretValue('me:0123456789', [{ kind: 'basic' }])).toBe('me:0123456789');
  });
});
