import { describe, expect, it } from 'vitest';
import { compileRequestPattern, readingsOf, type RequestPattern } from './request-pattern.ts';

function pattern(text: string): RequestPattern {
  const compiled = compileRequestPattern(text.split(' '));
  if (typeof compiled === 'string') throw new Error(compiled);
  return compiled;
}

describe('a rule about requests', () => {
  it.each([
    ['GET /repos/**', 'GET', '/repos/a/b', true],
    ['GET /repos/**', 'GET', '/repos', true],
    ['GET /repos/**', 'GET', '/repos/', true],
    ['GET /repos/**', 'GET', '/repos?page=2', true],
    ['GET /repos/**', 'GET', '/reposx', false],
    ['GET /repos/**', 'POST', '/repos/a', false],
    ['GET /repos/**', 'get', '/repos/a', false],
    ['GET|HEAD /a', 'HEAD', '/a', true],
    ['GET|HEAD /a', 'DELETE', '/a', false],
    ['GET', 'GET', '/any/thing', true],
    ['* /a', 'PURGE', '/a', true],
    ['/v1/*/items', 'PUT', '/v1/x/items', true],
    ['/v1/*/items', 'PUT', '/v1/x/y/items', false],
    ['/v1/**/items', 'PUT', '/v1/x/y/items', true],
    ['/a.b', 'GET', '/axb', false],
    ['/', 'GET', '/', true],
    ['/', 'GET', '/a', false],
    ['/a/**', 'GET', '/a/main...dev/.github/..x', true],
  ])('%s: %s %s %s', (text, method, path, expected) => {
    expect(pattern(text).covers(method, path)).toBe(expected);
    expect(pattern(text).mayCover(method, path)).toBe(expected);
  });

  // A server may read each of these as another path.
  it.each([
    '/repos/../admin',
    '/repos/..',
    '/repos/%2e%2e/admin',
    '/repos/..%2fadmin',
    '/repos/%2E./admin',
    '/repos/%252e%252e/admin',
    '//admin',
    '/repos//admin',
    '/repos\\..\\admin',
    '/repos/%5c..',
    '/repos/;x=/../admin',
    '/repos/%00',
    '/repos/a%3F',
    '/repos/a%3Fx/issues',
    '/repos/a%23',
    '/repos/%0d%0aX',
    '/repos/%zz',
    '/repos/./a',
    // Windows leaves out spaces and dots at the end.
    '/repos/..%20',
    '/repos/..%20/admin',
    '/repos/...',
    '/repos/..%20./admin',
    '/repos/a#/../../admin',
    '/repos/a?b#c',
    // Full-width dots and slashes, as they are and encoded.
    '/repos/%EF%BC%8E%EF%BC%8E/admin',
    '/repos/%EF%BC%8F%EF%BC%8Fadmin',
    '/repos/%E2%80%A5/admin',
    '/repos/\u00e9',
    '/repos/%c0%ae%c0%ae/admin',
    'repos/a',
    '',
    '*',
    'http://other.example.com/repos/a',
  ])('%j is covered by no allow rule, and by every deny rule for its method', (path) => {
    expect(readingsOf(path)).toBeUndefined();
    expect(pattern('/repos/**').covers('GET', path)).toBe(false);
    expect(pattern('GET /other').mayCover('GET', path)).toBe(true);
    expect(pattern('POST /other').mayCover('GET', path)).toBe(false);
  });

  // A server may not tell these apart, so a denial holds for each, and an allow rule for none that it does not name.
  it.each([
    ['/admin', '/ADMIN'],
    ['/admin', '/admin/'],
    ['/admin', '/admin.'],
    ['/admin', '/admin%20'],
    ['/admin/**', '/Admin/users'],
    ['/admin/**', '/admin./users'],
    ['/admin', '/%EF%BD%81dmin'],
    ['/v1/*/items', '/v1/x/Items/'],
  ])('%s denies %s, and does not allow it', (rule, path) => {
    expect(pattern(rule).mayCover('GET', path)).toBe(true);
    expect(pattern(rule).covers('GET', path)).toBe(false);
    expect(pattern('/administrator').mayCover('GET', path)).toBe(false);
  });

  it('with an encoded slash is covered only if both readings are', () => {
    expect(pattern('/a/*').covers('GET', '/a/b%2Fc')).toBe(false);
    expect(pattern('/a/**').covers('GET', '/a/b%2Fc')).toBe(true);
    expect(pattern('/a/b/c').mayCover('GET', '/a/b%2Fc')).toBe(true);
    expect(pattern('/%72epos'.replace('%72', 'r')).covers('GET', '/%72epos')).toBe(false);
    expect(pattern('/repos').mayCover('GET', '/%72epos')).toBe(true);
  });

  it.each(['get /a', 'GET a', 'GET /a /b', '/a GET', 'GET /a?b', 'GET /a#b', 'GET /../a', 'GET //a', 'GET /a%2fb', 'GET /***', 'GET,POST /a', ''])(
    '%j is none',
    (text) => {
      expect(typeof compileRequestPattern(text.split(' '))).toBe('string');
    },
  );
});
