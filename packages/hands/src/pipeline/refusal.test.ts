import { expect, it } from 'vitest';
import { adviceFor } from './refusal.ts';
import { decide } from '../policy/decide.ts';
import type { PolicyCall } from '../policy/decision.ts';
import { testPolicy } from '../policy/fixtures/test-policy.ts';
import type { PermissionSettings } from '../policy/policy.ts';

const run = (command: string): PolicyCall => ({ tool: 'run_command', permissions: [{ action: 'exec', resource: command }], confined: true });
const read = (path: string): PolicyCall => ({ tool: 'read_file', permissions: [{ action: 'read', resource: path }] });
const write = (path: string): PolicyCall => ({ tool: 'write_file', permissions: [{ action: 'write', resource: path }] });

it.each<[PermissionSettings, PolicyCall, string | undefined, string | undefined]>([
  [{}, run('npm test -- a'), 'exec(npm test *)', 'exec'],
  [{}, run('npm test && git status'), 'exec(= npm test && git status)', 'exec'],
  [{}, run('cat .env'), 'exec(= cat .env)', undefined],
  [{}, run('python a.py'), 'exec(python a.py)', 'exec'],
  [{}, write('src/a.ts'), 'write(/src/**)', 'write'],
  [{}, write('.git/config'), 'write(/.git/config)', 'write,protected'],
  [{}, read('.env'), 'read(/.env)', undefined],
  // Not read(.env), which would not help here.
  [{}, read('.mcp.json'), undefined, undefined],
  [{}, { tool: 'fetch_url', permissions: [{ action: 'net', resource: 'https://nodejs.org/x' }] }, 'fetch(nodejs.org)', 'fetch'],
  // A rule that asks is not overruled by one that allows.
  [{ ask: ['exec(npm *)'] }, run('npm test'), undefined, undefined],
])('%j: %j', (settings, call, rule, grants) => {
  const policy = testPolicy(settings);
  const decision = decide(policy, call);
  const advice = adviceFor(policy, call, decision);
  expect({ verdict: decision.verdict, rule: advice.rule, grants: advice.grants?.join(',') }).toEqual({
    verdict: call.permissions[0]?.resource === '.mcp.json' ? 'allow' : 'ask',
    rule,
    grants: call.permissions[0]?.resource === '.mcp.json' ? 'write' : grants,
  });
});
