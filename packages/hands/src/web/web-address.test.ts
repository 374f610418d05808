import { describe, expect, it } from 'vitest';
import { hasWebPort, parseWebAddress, shownAddress } from './web-address.ts';

describe('an address', () => {
  it.each([
    ['https://Example.com/a?b=c#d', 'https://example.com/a?b=c', 'example.com'],
    ['https://EXAMPLE.COM./', 'https://example.com/', 'example.com'],
    ['HTTP://example.com:80', 'http://example.com/', 'example.com'],
    ['http://2130706433/', 'http://127.0.0.1/', '127.0.0.1'],
    ['http://0x7f.1/', 'http://127.0.0.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', 'http://127.0.0.1/', '127.0.0.1'],
    ['http://127.1/', 'http://127.0.0.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', '[::ffff:7f00:1]'],
    ['http://①②⑦.0.0.1/', 'http://127.0.0.1/', '127.0.0.1'],
    ['https://exämple.com/', 'https://xn--exmple-cua.com/', 'xn--exmple-cua.com'],
    ['http://evil#@allowed.com', 'http://evil/', 'evil'],
  ])('%s', (text, url, host) => {
    const address = parseWebAddress(text);
    expect(address).toMatchObject({ host });
    expect(typeof address === 'string' ? '' : address.url.href).toBe(url);
  });

  it.each([
    ...'ftp://example.com file:///etc/passwd data:text/html,x javascript:alert(1) gopher://x http:127.0.0.1 http:/127.0.0.1 //example.com'.split(' '),
    ...String.raw`example.com http:///x http://user:pass@host/ http://allowed.com@evil/ http://evil\@allowed.com http:\\evil http://exa%00mple.com`.split(
      ' ',
    ),
    'http://\t127.0.0.1/',
    'http://a b/',
    'http://a/\r\nHost: b',
    'http://a:99999/',
    `http://a/${'x'.repeat(5_000)}`,
    '',
  ])('%j is none', (text) => expect(typeof parseWebAddress(text)).toBe('string'));

  it.each([
    ['http://a.com', true],
    ['https://a.com:80/', true],
    ...['22', '25', '6379', '11211', '2375', '8080'].map((port): [string, boolean] => [`http://a.com:${port}/`, false]),
  ])('%s is on a port of the web: %s', (text, expected) => {
    const address = parseWebAddress(text);
    expect(typeof address !== 'string' && hasWebPort(address)).toBe(expected);
  });

  it('is shown without its query', () => expect(shownAddress('https://a.com/b?token=c')).toBe('https://a.com/b?…'));
});
