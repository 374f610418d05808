import { describe, expect, it } from 'vitest';
import { canonicalHost, compileHostPattern } from './host-pattern.ts';

function matches(pattern: string, url: string): boolean {
  const compiled = compileHostPattern(pattern);
  if (typeof compiled === 'string') throw new Error(compiled);
  return compiled.matches(canonicalHost(url));
}

describe('host patterns', () => {
  it.each([
    ['domain:example.com', 'https://example.com/', true],
    ['domain:example.com', 'https://EXAMPLE.COM.', true],
    ['domain:EXAMPLE.com', 'https://example.com:8443/x', true],
    ['domain:example.com', 'a.b.example.com', true],
    ['domain:bücher.example', 'https://xn--bcher-kva.example/', true],
    ['domain:example.com', 'https://example.com.evil.io/', false],
    ['domain:example.com', 'https://evilexample.com/', false],
    ['domain:example.com', 'https://example.com\0.evil.io/', false],
    ['domain:example.com', 'https://exa%00mple.com/', false],
    ['domain:example.com', 'https://example.com@evil.io/', false],
    ['domain:example.com', 'https://evil.io\\@example.com/', false],
    ['domain:example.com', 'https://evil.io#@example.com/', false],
    ['domain:example.com', 'https://user:secret@example.com/', false],
    ['domain:example.com', 'https://user@example.com/', false],
    ['domain:example.com', 'https://:secret@example.com/', false],
    ['domain:example.com', 'https://exa\nmple.com/', false],
    ['domain:example.com', 'https://exa\tmple.com/', false],
    ['domain:example.com', ' https://example.com/', false],
    ['domain:example.com', 'https://example.com\u007f/', false],
    ['domain:example.com', 'https://example.com\\x/', false],
    ['domain:*', 'https://-example-.com/', true],
    ['domain:example.com', 'https://exаmple.com/', false],
    ['domain:*.example.com', 'https://example.com/', false],
    ['domain:*.example.com', 'https://a.example.com/', true],
    ['domain:127.0.0.1', 'http://2130706433/', true],
    ['domain:127.0.0.1', 'http://0x7f.1/', true],
    ['domain:0.0.1', 'http://127.0.0.1/', false],
    ['domain:[::1]', 'http://[::1]:80/', true],
    ['domain:*', 'https://anything.example/', true],
  ])('%s and %s: %s', (pattern, url, expected) => {
    expect(matches(pattern, url)).toBe(expected);
  });

  it.each([
    ['domain:localhost', true],
    ['domain:app.localhost', true],
    ['domain:127.0.0.1', true],
    ['domain:[::1]', true],
    ['domain:10.1.2.3', true],
    ['domain:notlocalhost', false],
    ['domain:localhost.example.com', false],
    ['domain:93.184.216.34', false],
    ['domain:*', false],
    ['*', false],
  ])('%s names this machine or its network: %s', (pattern, expected) => {
    expect(compileHostPattern(pattern)).toMatchObject({ namesLocal: expected });
  });

  it.each([
    ['HTTPS://Example.COM.:443/x', 'example.com'],
    ['http://[::1]:80/', '[::1]'],
    ['https://-example-.com/', undefined],
    ['https://exa*mple.com/', undefined],
    ['https://user@example.com/', undefined],
    ['', undefined],
  ])('%s is the host %s', (url, host) => {
    expect(canonicalHost(url)).toBe(host);
  });
});
