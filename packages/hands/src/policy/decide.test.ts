import type { Permission } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { reasonFor, type PolicyCall } from './decision.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { MODES, type Mode } from './modes.ts';
import type { Verdict } from './rule.ts';

const read = (path: string, tool = 'read_file'): PolicyCall => ({ tool, permissions: [{ action: 'read', resource: path }] });
const write = (path: string, tool = 'write_file'): PolicyCall => ({ tool, permissions: [{ action: 'write', resource: path }] });
const other = (action: Permission['action'], resource: string, tool = 'a_tool'): PolicyCall => ({ tool, permissions: [{ action, resource }] });

describe('modes', () => {
  const calls = {
    'read src/a': read('src/a'),
    'read .env': read('.env'),
    'write src/a': write('src/a'),
    'write .vscode/tasks.json': write('.vscode/tasks.json'),
    'write .synapse/config.jsonc': write('.synapse/config.jsonc'),
    'run npm test': other('exec', 'npm test', 'run_command'),
    'run npm test, confined': { ...other('exec', 'npm test', 'run_command'), confined: true },
    'run cat $X, confined': { ...other('exec', 'cat $X', 'run_command'), confined: true },
    'run cat .env, confined': { ...other('exec', 'cat .env', 'run_command'), confined: true },
    'run curl example.com, confined': { ...other('exec', 'curl example.com', 'run_command'), confined: true },
    'run echo > /tmp/a, confined': { ...other('exec', 'echo x > /tmp/a', 'run_command'), confined: true },
    'run a_program .env, confined': { ...other('exec', 'a_program .env', 'run_command'), confined: true },
    'run a_program .git/hooks/x, confined': { ...other('exec', 'a_program .git/hooks/x', 'run_command'), confined: true },
    'run a_program notes, confined': { ...other('exec', 'a_program notes', 'run_command'), confined: true },
    'run echo > .git/hooks/x, confined': { ...other('exec', 'echo > .git/hooks/x', 'run_command'), confined: true },
    'run cat /etc/hosts, confined': { ...other('exec', 'cat /etc/hosts', 'run_command'), confined: true },
    'fetch nodejs.org': other('net', 'https://nodejs.org/', 'fetch_url'),
    'mcp github': other('mcp', 'mcp:github:search'),
    'no resource': { tool: 'git_status', permissions: [] },
  } satisfies Record<string, PolicyCall>;

  // One column a mode, in the order of MODES: - deny, ? ask, + allow.
  const expected: Record<keyof typeof calls, string> = {
    'read src/a': '++++',
    'read .env': '????',
    'write src/a': '-?++',
    'write .vscode/tasks.json': '-???',
    'write .synapse/config.jsonc': '----',
    'run npm test': '-???',
    'run npm test, confined': '-??+',
    'run cat $X, confined': '-??+',
    'run cat .env, confined': '-???',
    'run curl example.com, confined': '-??+',
    'run echo > /tmp/a, confined': '-??+',
    'run a_program .env, confined': '-???',
    'run a_program .git/hooks/x, confined': '-???',
    'run a_program notes, confined': '-??+',
    'run echo > .git/hooks/x, confined': '-???',
    'run cat /etc/hosts, confined': '-??+',
    'fetch nodejs.org': '????',
    'mcp github': '????',
    'no resource': '++++',
  };
  const verdicts: Record<string, Verdict> = { '-': 'deny', '?': 'ask', '+': 'allow' };
  const rows = (Object.keys(calls) as Array<keyof typeof calls>).flatMap((name) =>
    MODES.map((mode, index): [Mode, keyof typeof calls, Verdict | undefined] => [mode, name, verdicts[expected[name].charAt(index)]]),
  );

  it.each(rows)('%s: %s: %s', (mode, name, verdict) => {
    expect(decide(testPolicy({ mode }), calls[name]).verdict).toBe(verdict);
  });
});

it.each<[string, PolicyCall]>([
  ['a file', write('src/a')],
  ['a guarded file', write('.git/config')],
  ['a command', other('exec', 'npm test', 'run_command')],
  ['a command that is not understood', other('exec', 'for f in *; do "$f"; done', 'run_command')],
])('an untrusted project cannot make a mode refuse what it asks about: %s', (_, call) => {
  const ask = ['write', 'write(src/**)', 'exec', 'exec(npm *)'];
  const of = (mode: Mode) =>
    testPolicy(
      {},
      {
        sources: [
          { layer: 'flags', origin: 'flags', settings: { mode } },
          { layer: 'project', origin: 'project', settings: { ask } },
        ],
      },
    );
  expect(decide(of('ask'), call).verdict).toBe('ask');
  expect(decide(of('read-only'), call)).toMatchObject({ verdict: 'deny', rule: { layer: 'mode' } });
});

describe('rules', () => {
  const policy = testPolicy({
    allow: ['write(src/**)', 'price', 'read(.env.test)', 'fetch(nodejs.org)', 'mcp(github:*)', 'price', 'read(//opt/data/**)'],
    ask: ['write(src/generated/)', 'mcp(github:delete_*)'],
    deny: ['read(.env)', 'read(secrets/)', 'write(src/vendor/**)', 'write(pinned.txt)', 'git_log', 'fetch(evil.io)', 'read(~/.config/app/**)'],
  });

  it.each<[string, PolicyCall, Verdict]>([
    ['deny over everything', read('.env'), 'deny'],
    ['any tool that reads', read('a/b/.env', 'search_text'), 'deny'],
    ['a path in other words', read('./a/../.env'), 'deny'],
    ['an absolute path', read('/ws/.env'), 'deny'],
    ['another case', read('.ENV'), 'deny'],
    ['invisible characters', read('.e\u200cnv'), 'deny'],
    ['a full-width letter', read('．env'), 'deny'],
    ['trailing dots and spaces', read('.env. '), 'deny'],
    ['a stream of a file', read('.env::$DATA'), 'deny'],
    ['an escaped name', read(String.raw`\x2eenv`), 'deny'],
    ['a folder by its name', read('secrets'), 'deny'],
    ['below a folder', read('a/secrets/b/c'), 'deny'],
    ['another name', read('secrets2/a'), 'allow'],
    ['the home of the user', read('/home/ada/.config/app/x'), 'deny'],
    ['outside', read('/etc/hosts'), 'ask'],
    ['outside and allowed', read('/opt/data/x'), 'allow'],
    ['an explicit secret', read('.env.test'), 'allow'],
    ['allowed for every tool that writes', write('src/a', 'apply_patch'), 'allow'],
    ['ask over allow', write('src/generated/a'), 'ask'],
    ['deny over allow', write('src/vendor/a'), 'deny'],
    ['allow takes case as it is', write('SRC/a'), 'ask'],
    ['protected in an allowed folder', write('src/.git/hooks/x'), 'ask'],
    ['allowed for one tool', write('any/a', 'price'), 'allow'],
    ['and not for another', write('any/a'), 'ask'],
    ['denied for every tool', write('pinned.txt', 'edit_file'), 'deny'],
    ['a whole tool', { tool: 'git_log', permissions: [] }, 'deny'],
    ['a host', other('net', 'https://docs.nodejs.org/x', 'fetch_url'), 'allow'],
    ['a twin of a host', other('net', 'https://nodejs.org.evil.io/', 'fetch_url'), 'deny'],
    ['an unreadable host', other('net', 'https://nodejs.org@x/', 'fetch_url'), 'ask'],
    ['a server', other('mcp', 'mcp:github:search', 'github_search'), 'allow'],
    ['a tool of a server', other('mcp', 'mcp:github:delete_repo', 'github_delete_repo'), 'ask'],
    ['another server', other('mcp', 'mcp:gitlab:search', 'gitlab_search'), 'ask'],
    [
      'the strictest of several places',
      {
        tool: 'move_path',
        permissions: [
          { action: 'write', resource: 'src/a' },
          { action: 'write', resource: 'src/vendor/a' },
        ],
      },
      'deny',
    ],
    [
      'what is denied to be read is not moved',
      {
        tool: 'move_path',
        permissions: [
          { action: 'read', resource: '.env' },
          { action: 'write', resource: 'src/x' },
        ],
      },
      'deny',
    ],
  ])('%s', (_, call, verdict) => {
    const decision = decide(policy, call);
    expect(decision.verdict, reasonFor(decision.decisive)).toBe(verdict);
  });

  it('says of a command that is not understood what it is, once', () => {
    const { decisive } = decideCommand(testPolicy({}), 'FOO=1 git fetch ./copy');
    expect(reasonFor(decisive)).toBe('the command is not fully understood: setting FOO can change what runs');
  });

  it.each<[string, string, string[]]>([
    ['npm test && cat .env', 'reads .env: it usually holds secrets', []],
    ['npm test && touch .git/hooks/x', 'writes .git/hooks/x: another program runs it', []],
    ['npm test && eval "$X"', 'is not fully understood', []],
    ['eval "$X"; cat .env', 'reads .env: it usually holds secrets', []],
    ['npm test && cat notes/a', 'reads notes/a: rule "ask read(notes/**)" [user: user.jsonc]', ['read(notes/**)']],
    ['npm test && cat /etc/hosts', 'runs npm test: mode "ask" asks before commands', []],
    ['npm test && curl example.com', 'runs npm test: mode "ask" asks before commands', []],
  ])('names first what is asked about, not the mode that asks about every command: %s', (command, reason, ask) => {
    const decision = decideCommand(testPolicy({ ask }), command);
    expect(decision.verdict).toBe('ask');
    expect(reasonFor(decision.decisive)).toContain(reason);
    expect(decision.rule).toBe(decision.decisive.rule);
  });

  it.each<[string, Parameters<typeof testPolicy>[0], PolicyCall, Verdict]>([
    ['a name does not open it outside', { allow: ['read(hosts)'] }, read('/etc/hosts'), 'ask'],
    ['nor does a pattern for all', { allow: ['read(**)'] }, read('/etc/hosts'), 'ask'],
    ['a name denies nothing outside', { deny: ['read(hosts)'] }, read('/etc/hosts'), 'ask'],
    ['a denial of all is one of the root', { deny: ['read(**)'] }, read('.'), 'deny'],
    ['an absolute denial in another case', { deny: ['read(//opt/Data/**)'] }, read('/OPT/data/x'), 'deny'],
    ['an absolute denial of the workspace', { deny: ['read(//ws/keys/**)'] }, read('keys/x'), 'deny'],
    ['./ is the top', { deny: ['read(./key)'] }, read('key'), 'deny'],
    ['and only that', { deny: ['read(./key)'] }, read('a/key'), 'allow'],
    ['a name in other letters', { deny: ['read(keys)'] }, read('KEYS'), 'deny'],
  ])('%s', (_, settings, call, verdict) => {
    const decision = decide(testPolicy(settings), call);
    expect(decision.verdict, reasonFor(decision.decisive)).toBe(verdict);
  });

  it('tells searches what to leave out, so that their lists agree with the rules', () => {
    const { exclude } = decide(policy, read('.', 'search_text'));
    expect(exclude).toEqual(expect.arrayContaining(['.env', '*.pem', '!.env.test', 'secrets/']));
    expect(exclude.lastIndexOf('.env')).toBeGreaterThan(exclude.indexOf('!.env.test'));
    expect(decide(policy, write('src/a')).exclude).toEqual([]);
  });

  it('never lets a call write what Synapse lives on', () => {
    const strict = testPolicy(
      { mode: 'trusted', allow: ['*', 'write(.synapse/**)'] },
      { neverWritable: ['/home/ada/.local/state/synapse', '/ws/state', '/home/ada/[a] #*?! b', String.raw`/home/a\b`] },
    );
    for (const path of ['/home/ada/[a] #*?! b/x', String.raw`/home/a\b/x`]) expect(decide(strict, write(path))).toMatchObject({ verdict: 'deny' });
    for (const path of ['.synapse/config.jsonc', 'a/.Synapse/x', '/home/ada/.local/state/synapse/audit.db', 'state/x', '/ws/STATE']) {
      expect(decide(strict, write(path)).rule).toMatchObject({ verdict: 'deny', layer: 'built-in' });
      expect(decideCommand(strict, `echo x > '${path}'`, { confined: true }).verdict).toBe('deny');
    }
  });

  it('opens guarded places only by their name, or on purpose', () => {
    expect(decide(testPolicy({ allow: ['write(**)', 'write'] }), write('.vscode/x')).verdict).toBe('ask');
    expect(decide(testPolicy({ allow: ['write(.vscode/**)'] }), write('.vscode/x')).verdict).toBe('allow');
    expect(decide(testPolicy({ allow: ['write(.vscode/**)'] }), write('.git/x')).verdict).toBe('ask');
    expect(decide(testPolicy({ allow: [{ rule: 'write', guarded: true }] }), write('.git/x')).verdict).toBe('allow');
    expect(decide(testPolicy({ allow: ['read(**)'] }), read('id_rsa')).verdict).toBe('ask');
  });

  it('forgets a rule when its time is over', () => {
    let now = 1_000;
    const timed = testPolicy({ allow: [{ rule: 'write(a)', expiresAt: 2_000 }] }, { now: () => now });
    expect(decide(timed, write('a')).verdict).toBe('allow');
    now = 2_000;
    expect(decide(timed, write('a')).verdict).toBe('ask');
  });
});

describe('commands', () => {
  it('places the paths of a command in its folder', () => {
    const policy = testPolicy({ allow: ['exec(cat *)'], deny: ['read(/config/key)'] });
    const inFolder = (cwd: string) => decideCommand(policy, 'cat key', { arguments: { cwd } }).verdict;
    expect([inFolder('.'), inFolder('config'), inFolder('./config/'), inFolder('/ws/config'), inFolder('other')]).toEqual([
      'allow',
      'deny',
      'deny',
      'deny',
      'allow',
    ]);
  });

  it('covers every command by a blanket rule but what is denied or guarded', () => {
    const blanket = testPolicy({ allow: ['exec'] });
    const verdict = (command: string) => decideCommand(blanket, command).verdict;
    expect(
      ['rm -rf dist', 'cat $X', 'node -e 1', 'for f in *; do cat "$f"; done', 'echo x > a', 'cat /etc/hosts', 'curl https://example.com'].map(
        verdict,
      ),
    ).toEqual(Array(7).fill('allow'));
    expect(['cat .env', 'echo x > .git/config', 'echo x > .synapse/a', 'rm -rf .'].map(verdict)).toEqual(['ask', 'ask', 'deny', 'ask']);
  });

  it('asks for what it does not understand where something is denied and no sandbox hides it', () => {
    const policy = testPolicy({ allow: ['exec'], deny: ['read(key)'] });
    expect(decideCommand(policy, 'cat $X').verdict).toBe('ask');
    expect(decideCommand(policy, 'cat $X', { confined: true }).verdict).toBe('allow');
    expect(decideCommand(policy, 'grep -r x .').verdict).toBe('ask');
    expect(decideCommand(policy, 'grep -r x .', { confined: true }).verdict).toBe('allow');
    expect(decideCommand(policy, 'cat key', { confined: true }).verdict).toBe('deny');
  });

  const sandboxed = { confined: true };
  const loop = 'for f in *; do "$f"; done';
  it.each<[string, Parameters<typeof testPolicy>[0], string, Parameters<typeof decideCommand>[2], Verdict]>([
    ['asks about what a rule asks about', { mode: 'trusted', ask: ['read(notes/**)'] }, 'cat notes/a', sandboxed, 'ask'],
    ['and not about the rest', { mode: 'trusted', ask: ['read(notes/**)'] }, 'cat a', sandboxed, 'allow'],
    ['asks where what is denied may be below', { mode: 'trusted', deny: ['write(*.lock)'] }, 'rm -r config', sandboxed, 'ask'],
    ['and not of one file', { mode: 'trusted', deny: ['write(*.lock)'] }, 'rm config', sandboxed, 'allow'],
    ['covers no doubt by a pattern', { allow: ['exec(cat *)'] }, 'cat $X', {}, 'ask'],
    ['and what is certain', { allow: ['exec(cat *)'] }, 'cat a', {}, 'allow'],
    ['goes to no host by a pattern', { allow: ['exec(curl *)'] }, 'curl https://example.com', {}, 'ask'],
    ['and to the one of an exact rule', { allow: ['exec(curl https://example.com)'] }, 'curl https://example.com', {}, 'allow'],
    ['goes to a host without a name', { allow: ['exec(git push *)'] }, 'git push', {}, 'allow'],
    ['and asks where hosts are denied', { allow: ['exec(git push *)'], deny: ['fetch(evil.io)'] }, 'git push', {}, 'ask'],
    ['refuses the text that is denied', { mode: 'trusted', deny: [`exec(= ${loop})`] }, loop, sandboxed, 'deny'],
    ['and no other', { mode: 'trusted', deny: [`exec(= ${loop})`] }, loop.replace('*', 'a'), sandboxed, 'allow'],
    ['refuses it though all of it is understood', { mode: 'trusted', deny: ['exec(= ls && id)'] }, 'ls && id', sandboxed, 'deny'],
    ['reads a secret by exact text', { allow: ['exec(= cat .env > a; id)'] }, 'cat .env > a; id', {}, 'allow'],
    ['and asks otherwise', { allow: ['exec(= cat .env > a; id)', 'exec'] }, 'cat .env > a; ls', {}, 'ask'],
    ['writes outside by a blanket rule', { allow: ['exec'] }, 'echo x > /tmp/a', {}, 'allow'],
  ])('%s', (_, settings, command, call, verdict) => {
    const decision = decideCommand(testPolicy(settings), command, call);
    expect(decision.verdict, reasonFor(decision.decisive)).toBe(verdict);
  });

  it('covers a whole command by its exact text only', () => {
    const text = 'for f in *.ts; do cat "$f"; done';
    const policy = testPolicy({ allow: [`exec(= ${text})`], deny: ['read(key)'] });
    expect(decideCommand(policy, text).verdict).toBe('allow');
    expect(decideCommand(policy, `${text} `).verdict).toBe('allow');
    expect(decideCommand(policy, `${text}; id`).verdict).toBe('ask');
    expect(decideCommand(policy, text.replace('ts', 'js')).verdict).toBe('ask');
    expect(decideCommand(testPolicy({ allow: ['exec(= cat key)'], deny: ['read(key)'] }), 'cat key').verdict).toBe('deny');
  });

  it('lets an exact rule read the secret it names', () => {
    const policy = testPolicy({ allow: ['exec(cat .env)', 'exec(cat *)'] });
    expect(decideCommand(policy, 'cat .env').verdict).toBe('allow');
    expect(decideCommand(policy, 'cat .env.local').verdict).toBe('ask');
    expect(decideCommand(policy, 'cat .env other/.env').verdict).toBe('ask');
  });
});

describe('a command that names very much', () => {
  const many = (count: number, text: (index: number) => string): string => Array.from({ length: count }, (_, index) => text(index)).join('');
  const policy = testPolicy({
    mode: 'trusted',
    deny: ['read(.env)', 'exec(rm *)'],
    allow: ['exec(mytool *)', 'exec(cat *)'],
  });

  it.each([
    ['once and again', `mytool ${'a,'.repeat(40_000)}`, 'allow'],
    ['in one word', `mytool ${many(15_000, (index) => `a${index},`)}`, 'ask'],
    ['in many words', `cat ${many(15_000, (index) => `a${index} `)}`, 'ask'],
    ['by the shell', `cat ${many(15_000, (index) => `<a${index} `)}`, 'ask'],
    ['at great length', `cat ${'a'.repeat(100_000)}`, 'allow'],
    ['going up', `cat ${'a/./../'.repeat(15_000)}b`, 'ask'],
    ['with what is denied at the end', `cat ${many(1_000, (index) => `a${index} `)} .env`, 'deny'],
  ])('%s is judged', (_, command, verdict) => {
    // Without a bound some of these took longer than a test may.
    expect(decideCommand(policy, command).verdict).toBe(verdict);
  });
});
