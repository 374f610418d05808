import { describe, expect, it } from 'vitest';
import { parseServers, type ServerFile } from './read-servers.ts';

const variables = { environment: { TOKEN: 'ghp_0123456789abcdef', HOST: 'example.com' }, workspace: '/ws', home: '/home/ada' };
const parse = (text: string, over: Partial<ServerFile> = {}) =>
  parseServers({ label: '/ws/.mcp.json', layer: 'project', text, keys: ['mcpServers'], shared: false, variables, ...over });

describe('parseServers', () => {
  it('reads every transport, with comments and variables', () => {
    const { servers, problems } = parse(`{
      // ours
      "mcpServers": {
        "local": { "command": "npx", "args": ["-y", "server", "\${workspaceFolder}", 3], "env": { "A": "\${TOKEN}", "N": 1 }, "timeout": 5000 },
        "remote": { "type": "http", "url": "https://\${HOST}/mcp?key=0123456789", "headers": { "Authorization": "Bearer \${TOKEN}" } },
        "bare": { "url": "http://localhost:1/mcp" },
        "old": { "type": "sse", "url": "http://localhost:1/sse", "disabled": true },
      },
    }`);
    expect(problems).toEqual([]);
    expect(servers.map(({ name, launch, timeoutMs, disabled }) => ({ name, launch, timeoutMs, disabled }))).toEqual([
      {
        name: 'local',
        launch: {
          kind: 'stdio',
          command: 'npx',
          arguments: ['-y', 'server', '/ws', '3'],
          environment: { A: 'ghp_0123456789abcdef', N: '1' },
          cwd: undefined,
        },
        timeoutMs: 5000,
        disabled: false,
      },
      {
        name: 'remote',
        launch: { kind: 'http', url: 'https://example.com/mcp?key=0123456789', headers: { Authorization: 'Bearer ghp_0123456789abcdef' } },
        timeoutMs: undefined,
        disabled: false,
      },
      { name: 'bare', launch: { kind: 'http', url: 'http://localhost:1/mcp', headers: {} }, timeoutMs: undefined, disabled: false },
      { name: 'old', launch: { kind: 'sse', url: 'http://localhost:1/sse', headers: {} }, timeoutMs: undefined, disabled: true },
    ]);
    expect(servers[0]?.secrets).toEqual(['ghp_0123456789abcdef']);
    expect(servers[1]?.secrets).toEqual(['Bearer ghp_0123456789abcdef', 'ghp_0123456789abcdef', '0123456789']);
  });

  it.each([
    [
      'a command that is a number',
      '{"mcpServers":{\n"good":{"command":"x"},\n"bad":{"command":7}}}',
      '/ws/.mcp.json:3:8: mcpServers.bad.command: expected string',
    ],
    ['a word in args', '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","args":["b",\n{}]}}}', ':2:1: mcpServers.bad.args.1: '],
    [
      'a mistyped key',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"comand":"y"}}}',
      'mcpServers.bad.comand: this is not known here and is ignored; did you mean command?',
    ],
    ['neither', '{"mcpServers":{"good":{"command":"x"},"bad":{}}}', 'mcpServers.bad: a server needs "command"'],
    ['both', '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","url":"http://a"}}}', 'mcpServers.bad.url: a server has "command" or "url"'],
    [
      'an unknown type',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"type":"ws","url":"ws://a"}}}',
      'mcpServers.bad.type: there is no transport "ws"',
    ],
    ['a type without its field', '{"mcpServers":{"good":{"command":"x"},"bad":{"type":"http","command":"a"}}}', 'needs "url"'],
    ['no server at all', '{"mcpServers":{"good":{"command":"x"},"bad":"npx"}}', 'mcpServers.bad: a server is an object'],
    ['another scheme', '{"mcpServers":{"good":{"command":"x"},"bad":{"url":"file:///etc/passwd"}}}', 'mcpServers.bad.url: this is no http'],
    [
      'a password in the address',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"url":"http://me:hunter2@a"}}}',
      'mcpServers.bad.url: an address may hold no password',
    ],
    [
      'a header over two lines',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"url":"http://a","headers":{"X":"a\\r\\nB: c"}}}}',
      'mcpServers.bad.headers.X: its value',
    ],
    [
      'a variable that is not set',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","env":{"K":"${NOPE}"}}}}',
      'mcpServers.bad.env.K: the environment variable NOPE is not set',
    ],
    [
      'an input',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","args":["${input:key}"]}}}',
      'mcpServers.bad.args.0: ${input:key} asks a person',
    ],
    [
      'a file of variables',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","envFile":".env"}}}',
      'mcpServers.bad.envFile: files of variables',
    ],
    ['a NUL in a word', '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","args":["b","c\\u0000d"]}}}', 'mcpServers.bad.args.1: a NUL'],
    [
      'a variable that sets another',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","env":{"A=B":"c"}}}}',
      'mcpServers.bad.env.A=B: this is no name',
    ],
    ['a variable without a name', '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","env":{"":"c"}}}}', 'this is no name of a variable'],
    ['a time-out of no time', '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"a","timeout":0}}}', 'mcpServers.bad.timeout: '],
    [
      'a name that is there twice',
      '{"mcpServers":{"good":{"command":"x"},"bad":{"command":"y"},"bad":{"command":"z"}}}',
      'mcpServers.bad: this name is there twice, so neither server counts',
    ],
    [
      'broken JSON after a good one',
      '{"mcpServers":{\n"good":{"command":"x"},\n"bad":{"command" "y"},"later":{"command":"z"}}}',
      ':3:18: mcpServers.bad.command: this is not JSON (ColonExpected)',
    ],
    ['a name that acts on a terminal', '{"mcpServers":{"good":{"command":"x"},"\\u001b[31m":{}}}', String.raw`mcpServers.\x1b[31m: a server needs`],
  ])('%s is reported, and the other server counts', (_, text, problem) => {
    const { servers, problems } = parse(text);
    expect(servers.map(({ name, launch }) => [name, launch.kind === 'stdio' && launch.command])).toEqual([['good', 'x']]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['not JSON', 'mcpServers: none', '/ws/.mcp.json:1:1: this is not JSON'],
    ['a list', '[]', 'this must be an object'],
    ['other keys only', '{"servers":{}}', 'there is no "mcpServers"'],
    ['a list of servers', '{"mcpServers":[]}', 'mcpServers: this must be an object'],
  ])('a file that is %s names no server', (_, text, problem) => {
    expect(parse(text)).toEqual({ servers: [], problems: [expect.stringContaining(problem)] });
  });

  it('ignores what it does not know, and says so', () => {
    const { servers, problems } = parse('{"mcpServers":{"a":{"command":"x","arg":["y"]}}}');
    expect(servers).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining('mcpServers.a.arg: this is not known here and is ignored; did you mean args')]);
  });

  it.each(['', '  \n', '// nothing\n', '{"permissions":{}}', '\ufeff{}'])('%j says nothing about servers where it need not', (text) => {
    expect(parse(text, { keys: ['mcp', 'servers'], shared: true })).toEqual({ servers: [], problems: [] });
  });

  it('takes no prototype for a server', () => {
    const { servers } = parse('{"mcpServers":{"__proto__":{"command":"x","env":{"__proto__":{"polluted":"1"}}}}}');
    expect(servers.map(({ name }) => name)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('never shows the value of a secret in a problem', () => {
    const { problems } = parse('{"mcpServers":{"a":{"url":"http://a","headers":{"Authorization":"${TOKEN}\\n"}}}}');
    expect(problems.join()).not.toContain('ghp_');
    expect(problems).toHaveLength(1);
  });
});
