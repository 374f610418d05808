import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace, runCli, type Place } from './run-cli.ts';

/** A place whose user has a configuration of their own. */
async function placeWith(user: string, project?: string): Promise<Place & { readonly configuration: string }> {
  const place = await makePlace({ 'a.txt': 'A\n' });
  const home = join(place.environment['XDG_STATE_HOME'] ?? '', 'config');
  const configuration = join(home, 'synapse', 'config.jsonc');
  await mkdir(join(home, 'synapse'), { recursive: true });
  await writeFile(configuration, user);
  if (project !== undefined) {
    await mkdir(join(place.folder, '.synapse'));
    await writeFile(join(place.folder, '.synapse', 'config.json'), project);
  }
  return { ...place, environment: { ...place.environment, XDG_CONFIG_HOME: home }, configuration };
}

const RULES = `{
  "permissions": {
    "allow": ["exec(npm test)"],
    "deny": [{ "rule": "exec(git push *)", "match": ["git push"], "notMatch": ["git pull"], "reason": "releases are Ada's" }],
  },
}`;
const WHERE = ['--workspace', '.'];

describe('synapse policy', () => {
  it.each([
    ['allow', 'exec(npm test)', { command: 'npm test' }, []],
    ['allow', 'mode ask: asks about what it changes', { command: 'touch x' }, []],
    ['ask', 'built-in: secret', { command: 'npm test; cat .env' }, []],
    ['allow', 'exec', { command: 'id' }, ['--yes']],
    ['deny', 'exec(git push *)', { command: 'npm test && git push origin main' }, ['--allow', 'exec']],
  ])('explain: %s by %s', async (verdict, rule, input, more) => {
    const place = await placeWith(RULES);
    const json = await runCli(place, ['policy', 'explain', 'run_command', JSON.stringify(input), '--json', ...WHERE, ...more]);
    expect({ code: json.code, ...(JSON.parse(json.out) as object) }).toMatchObject({
      code: 0,
      verdict,
      rule: { rule },
      effects: { execs: expect.any(Array) as unknown[] },
      tried: expect.any(Array) as unknown[],
    });
    const text = await runCli(place, ['policy', 'explain', 'run_command', '-', ...WHERE, ...more], JSON.stringify(input));
    expect(text.code).toBe(0);
    expect(text.out).toContain(`run_command: ${verdict}`);
    expect(text.out).toContain('Rules tried');
  });

  it('check: tells what is in force', async () => {
    const place = await placeWith(RULES, '{"permissions": {"mode": "read-only", "allow": ["exec(id)"]}}');
    const { code, out, err } = await runCli(place, ['policy', 'check', ...WHERE]);
    expect(code).toBe(0);
    expect(out).toContain('mode read-only');
    expect(out).toContain('user 2');
    expect(err).toContain('exec(id) is ignored until the folder is trusted');
  });

  it.each([
    ['no JSON', '{"permissions": ', ':1:17: this is not JSON'],
    ['an unknown mode', '{"permissions": {"mode": "yolo"}}', ':1:26: "mode" must be one of'],
  ])('check: finds %s, with its place, and nothing else starts', async (_, text, problem) => {
    const place = await placeWith(text);
    const check = await runCli(place, ['policy', 'check', ...WHERE]);
    expect(check.code).toBe(1);
    expect(check.out).toContain(`${place.configuration}:`);
    expect(check.out).toContain(problem);
    const json = await runCli(place, ['policy', 'check', '--json', ...WHERE]);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: expect.arrayContaining([expect.stringContaining(problem)]) as string[] });
    for (const words of [
      ['call', 'read_file', '{"path":"a.txt"}'],
      ['mcp'],
      ['policy', 'list'],
      ['policy', 'explain', 'read_file', '{"path":"a.txt"}'],
    ]) {
      const { code, out, err } = await runCli(place, [...words, ...WHERE]);
      expect({ words, code, out }).toEqual({ words, code: 2, out: '' });
      expect(err).toContain(problem);
    }
  });

  it.each([
    ['a rule that denies and cannot be read', '{"permissions": {\n "deny": ["raed(a)"]}}', ':2:11: deny rule "raed(a)"', 3],
    ['an example that fails', '{"permissions": {"ask": [{"rule": "exec(git push *)", "match": ["git pull"]}]}}', 'its example match "git pull"', 3],
    [
      'a rule in old words',
      '{"permissions": {"deny": ["run_command(git push *)"]}}',
      ':1:27: deny rule "run_command(git push *)": write exec(git push *).',
      3,
    ],
    ['a rule that allows and cannot be read', '{"permissions": {"allow": ["run_command(git push *)"]}}', 'write exec(git push *).', 0],
  ])('check: finds %s, and reading goes on', async (_, text, problem, expected) => {
    const place = await placeWith(text);
    const check = await runCli(place, ['policy', 'check', ...WHERE]);
    expect({ code: check.code, out: check.out }).toEqual({ code: 1, out: expect.stringContaining(problem) as string });
    expect(check.out).toContain(`${place.configuration}:`);
    const json = await runCli(place, ['policy', 'check', '--json', ...WHERE]);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [expect.stringContaining(problem)] });
    const read = await runCli(place, ['call', 'read_file', '{"path":"a.txt"}', ...WHERE]);
    expect({ code: read.code, out: read.out }).toMatchObject({ code: 0, out: expect.stringContaining('A') as string });
    expect(read.err).toContain(problem);
    expect((await runCli(place, ['call', 'write_file', '{"path":"b.txt","content":"x"}', '--yes', ...WHERE])).code).toBe(expected);
  });

  it('list and revoke: shows rules with their origin, and knows of no approval', async () => {
    const place = await placeWith(RULES);
    const { code, out } = await runCli(place, ['policy', 'list', ...WHERE]);
    expect(code).toBe(0);
    expect(out).toMatch(/deny +exec\(git push \*\) +user: .*config\.jsonc, releases are Ada's/u);
    const json = await runCli(place, ['policy', '--json', ...WHERE]);
    expect(JSON.parse(json.out)).toMatchObject({ mode: 'ask', grants: [], notices: [] });
    const revoked = await runCli(place, ['policy', 'revoke', '1', ...WHERE]);
    expect(revoked.code).toBe(5);
    expect(revoked.err).toContain('None is saved');
  });
});
