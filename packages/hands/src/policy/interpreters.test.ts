import { describe, expect, it } from 'vitest';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { interpreterReason, openEndedReason } from './interpreters.ts';
import { parseRule } from './parse-rule.ts';
import { shellEffects } from './shell-effects.ts';

// Written out once more, so that none can be lost: each would make a rule with a wildcard one for any command at all.
const PROGRAMS = `
  sh bash zsh dash ash ksh mksh fish csh tcsh pwsh powershell cmd eval source . trap env command builtin exec nohup time timeout
  nice ionice stdbuf setsid xargs parallel rbash yash nu elvish xonsh fakeroot setarch linux i386 x86_64 prlimit numactl choom caffeinate
  xvfb-run dbus-run-session systemd-inhibit valgrind torsocks proxychains tini dumb-init eatmydata faketime rlwrap nsenter chroot
  unshare bwrap firejail chronic ssh-agent start-stop-daemon hyperfine cross-env direnv concurrently nodemon watch flock script
  expect strace ltrace unbuffer busybox toybox chrt taskset entr alias python pypy ipython node nodejs deno tsx ts-node ruby irb
  perl php lua luajit tclsh wish r rscript julia java jshell groovy scala kotlin ghci runghc elixir iex erl osascript guile awk gawk
  mawk nawk sqlite psql mysql gdb lldb vim vi nvim ex view emacs ed bc swift make gmake rake man less more dc npx bunx pnpx uvx pipx
  ssh mosh podman nerdctl kubectl oc vagrant lxc systemd-nspawn ansible rsync nc ncat netcat socat at batch crontab systemd-run
  systemctl launchctl tmux screen disown sudo doas su runuser pkexec gosu setpriv capsh
`
  .trim()
  .split(/\s+/u);
const COMMANDS = `
  git submodule foreach, git bisect run, rustup run, mise exec, go run, go generate, go tool, bun run, bun x, bun -e, git -c, git
  config, git filter-branch, git difftool, git mergetool, git send-email, npm exec, npm x, npm init, npm create, pnpm dlx, pnpm
  exec, pnpm create, yarn dlx, yarn exec, yarn create, uv run, uv tool, poetry run, pipenv run, conda run, bundle exec, cargo
  install, docker run, docker exec, docker compose, docker build
`
  .trim()
  .replaceAll(/\s+/gu, ' ')
  .split(', ');

describe('commands that run what they are given', () => {
  it.each([...PROGRAMS, ...COMMANDS])('%s', (command) => {
    const words = command.split(' ');
    expect(interpreterReason([...words, 'x'])).toBeDefined();
    expect(openEndedReason([...words, '-x'])).toBeDefined();
    const policy = testPolicy();
    const parse = (rule: string) => parseRule(rule, { verdict: 'allow', layer: 'user', origin: 'user' }, policy);
    // Wrappers are taken off: what they run is judged then, and must be named.
    expect(parse(`exec(${command} *)`)).toMatchObject({ reach: 'broad' });
    expect(parse(`exec(${command} x)`)).toMatchObject({ reach: 'exact' });
  });

  it.each(['PYTHON', '/opt/Python3.11', 'node.exe', 'Bash.EXE', './sh', 'perl5.36', 'linux32', '/x/x86_64'])('%s under another name', (program) => {
    expect(interpreterReason([program, 'x'])).toBeDefined();
    expect(openEndedReason([program])).toBeDefined();
  });

  it.each(['git', 'npm', 'ls', 'make-it', 'python-config-x'])('%s alone is none', (program) => {
    expect(interpreterReason([program, 'status'])).toBeUndefined();
  });
});

describe.each(['sh', 'bash', 'rbash', 'zsh', 'dash', 'ash', 'ksh', 'mksh', 'yash', 'fish', 'csh', 'tcsh', 'su', 'runuser'])('%s -c', (shell) => {
  it('is judged by what it runs', () => {
    const policy = testPolicy({ mode: 'trusted', deny: ['exec(rm *)'] });
    expect(decideCommand(policy, `${shell} -c 'true; rm -rf a'`, { confined: true })).toMatchObject({ verdict: 'deny' });
    expect(decideCommand(policy, `${shell} -c 'true; ls a'`, { confined: true })).toMatchObject({ verdict: 'allow' });
    const effects = shellEffects(`${shell} -c 'true; cat b'`);
    expect(effects.unknown).toContain('a shell is started inside the shell');
    expect(effects.reads).toMatchObject([{ path: 'b' }]);
  });
});

it.each(['ping', 'dig', 'nslookup', 'host', 'whois', 'telnet', 'ftp', 'sftp', 'scp', 'traceroute'])('%s talks to another machine', (program) => {
  expect(shellEffects(`${program} x`).net).toEqual([{ host: undefined, exec: 0, folders: ['.'] }]);
});

describe('a rule', () => {
  const policy = testPolicy({
    allow: ['exec(npm install)', 'exec(cargo build)', 'exec(cargo t)'],
    deny: ['exec(npm i *)', 'exec(docker container run *)', 'exec(cargo install *)'],
    ask: ['exec(cargo test *)'],
  });
  it.each([
    ['npm install left-pad', 'deny'],
    ['npm --silent isntall left-pad', 'deny'],
    ['env npm add left-pad', 'deny'],
    ['docker run alpine', 'deny'],
    ['docker --context x run alpine', 'deny'],
    ['cargo +nightly install x', 'deny'],
    ['cargo t', 'ask'],
    ['cargo build', 'allow'],
  ] as const)('that denies or asks is about what is done: %s', (command, verdict) => {
    expect(decideCommand(policy, command).verdict).toBe(verdict);
  });

  it('that allows is about the words', () => {
    const allowing = testPolicy({ allow: ['exec(npm install)'] });
    expect(decideCommand(allowing, 'npm install').verdict).toBe('allow');
    expect(decideCommand(allowing, 'npm i').verdict).toBe('ask');
  });

  it.each(['npm exe', 'npm innit', 'docker container exec', 'npm exec'])('that allows anything after %s is not loaded', (words) => {
    expect(openEndedReason(words.split(' '))).toBeTypeOf('string');
  });
});
