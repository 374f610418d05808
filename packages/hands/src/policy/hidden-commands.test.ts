import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { reasonFor } from './decision.ts';
import { testPolicy } from './fixtures/test-policy.ts';
import type { Verdict } from './rule.ts';

const policy = testPolicy({ allow: ['write', 'exec'], deny: ['exec(git push *)'] });

function verdictOf(command: string): Verdict {
  return decide(policy, {
    tool: 'run_command',
    permissions: [{ action: 'exec', resource: command }],
    confined: true,
    machine: { sandbox: 'works', transacts: true, network: false, bash: true },
    wish: { live: () => undefined, asksFirst: 'none' },
  }).verdict;
}

describe('deny exec(git push *) with --allow write,exec', () => {
  it.each([
    'git push',
    'git push --help',
    'git -C sub push origin',
    '/usr/bin/git push',
    'command git push',
    'env git push',
    'sudo git push',
    'timeout 5 git push',
    'nice -n 5 git push',
    'sh -c "git push"',
    'eval git push',
    'true && git push',
    'echo $(git push)',
    'find . -exec git push \\;',
    'git submodule foreach git push',
    'git bisect run git push',
    'f() { git push; }; f',
    'xargs git push',
    "env -S 'git push'",
    'bash -lc "cd x; git push"',
    'if true; then git push; fi',
    'trap "git push" EXIT',
  ])('refuses %s', (command) => {
    expect(verdictOf(command)).toBe('deny');
  });

  it.each([
    'git send-pack .',
    'git http-push x',
    '/usr/lib/git-core/git-push',
    'git-push origin',
    'git-send-pack .',
    'cp /usr/bin/git ./g; ./g push',
    'ln -s /usr/bin/git h; sub/h push',
    "rsync -e 'git push' a b:",
    "ssh -o ProxyCommand='git push' x",
    'scp -S ./x a b:',
    'socat EXEC:x -',
    "dpkg --pre-invoke='git push' -i x",
    "unheard-of 'git push'",
    'x=git; $x push',
    'git $x',
    'git "$x" origin',
    '"$x"',
    '{git,push}',
    'git {push,origin}',
    "$'git' push",
    "git $'push'",
    'g?t push',
    'echo push | xargs git',
    'echo git push | xargs -I{} {}',
    'echo git push | xargs -I{} sh -c {}',
    'xargs env',
    'parallel git ::: push',
    "git -c alias.x='!git push' x",
    'git -c alias.x=push x',
    'git config alias.x push && git x',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x',
    'git rebase -x "git push" HEAD~1',
    'echo git push | sh',
    'sh <<E\ngit push\nE',
    "sh <<< 'git push'",
    'sh <(echo git push)',
    'source <(echo git push)',
    'sh -c "$x"',
    'eval "$x"',
    'bash -c "g${y}t push"',
    `perl -e 'system("git push")'`,
    `perl -we 'exec "gi"."t", "push"'`,
    `awk 'BEGIN { system("git push") }'`,
    `awk 'BEGIN { "git push" | getline }'`,
    `python3 -c 'import os; os.system("git push")'`,
    `node -e 'require("child_process").execSync("git push")'`,
    `ruby -I lib -e 'exec+git'`,
    `php -r 'system("git push");'`,
    "sed '1e git push' a",
    'vim -c ":!git push" a',
    'alias g=git; g push',
    'find . -exec {} push \\;',
    'find . -name a -exec git {} +',
    'find . -exec "$x" \\;',
    'echo push | xargs -n1 env A=b git',
    'PATH=.:$PATH ls',
    `${'env '.repeat(40)}git push`,
    'f() { git "$@"; }; f push',
    'sort --compress-program=./x a',
    "printf -v 'a[$(git push)]' x",
    'test -v "$x"',
    'python3 < a.py',
    'npx -c "$x"',
    `${'$('.repeat(2_000)}git push`,
  ])('asks about %s', (command) => {
    expect(verdictOf(command)).toBe('ask');
  });

  it.each([
    'git status',
    'git -C sub status',
    'git -C "$dir" log -3',
    'git add "$f"',
    'git commit -m "$message"',
    'git commit -m "$(cat <<E\ntext\nE\n)"',
    'git pushx',
    'echo git push',
    'cat *.md',
    'cd src && ls',
    'for f in *.ts; do wc -l "$f"; done',
    'echo $HOME',
    'curl "$url"',
    'jq ".$x" a.json',
    'grep -rn "git push" . | head -3',
    'npm test',
    'npx vitest run',
    'node build.js --watch',
    'python3 tool.py a b',
    'make',
    'cargo build 2>&1 | tail -3',
    "awk '{ print $1 }' a.txt",
    "sed -i 's/a/b/' a.txt",
    'find . -name "*.ts" -exec wc -l {} +',
    'ls | xargs wc -l',
    'timeout 5 npm test',
    'sh -c "ls; cat a"',
    'bash scripts/build.sh',
    'cat > a.ts <<E\n$x\nE',
    'NODE_ENV=test npm test',
    'mkdir -p a && cp -r b a/',
    'tar xf a.tar',
    'curl https://example.com/a',
    '[[ -f a ]] && cat a',
  ])('does not ask about %s', (command) => {
    expect(verdictOf(command)).toBe('allow');
  });

  it('says which rule, and why', () => {
    const call = { tool: 'run_command', permissions: [{ action: 'exec' as const, resource: 'git $x' }] };
    expect(reasonFor(decide(policy, call).decisive)).toContain('rule "deny exec(git push *)"');
    expect(reasonFor(decide(policy, call).decisive)).toContain('which it may be');
  });

  it('takes a rule about a subcommand with the name of an inherited property', () => {
    const odd = testPolicy({ allow: ['write', 'exec'], deny: ['exec(git constructor *)'] });
    const verdict = (resource: string): Verdict =>
      decide(odd, { tool: 'run_command', permissions: [{ action: 'exec', resource }], confined: true }).verdict;
    expect(['git constructor a', 'git gc', '/usr/lib/git-core/git-gc a'].map(verdict)).toEqual(['deny', 'allow', 'allow']);
  });

  it('changes nothing without such a rule', () => {
    const without = testPolicy({ allow: ['write', 'exec'] });
    expect(decide(without, { tool: 'run_command', permissions: [{ action: 'exec', resource: 'git $x' }], confined: true }).verdict).toBe('allow');
  });
});
