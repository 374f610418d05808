import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace, runCli, type Place } from './run-cli.ts';

const MANIFEST = JSON.stringify({ scripts: { test: 'vitest', deploy: 'x' }, devDependencies: { vitest: '1' } });
const WHERE = ['--workspace', '.'];
const configOf = async ({ folder }: Place): Promise<string> => await readFile(join(folder, '.synapse/config.jsonc'), 'utf8').catch(() => '');

async function verdict(place: Place, tool: string, input: object): Promise<string> {
  const { out } = await runCli(place, ['policy', 'explain', tool, JSON.stringify(input), '--json', ...WHERE]);
  return (JSON.parse(out) as { rule: { rule: string } }).rule.rule;
}

describe('synapse init', () => {
  it('shows what it would write, writes it after a yes, and then it counts', async () => {
    const place = await makePlace({ 'package.json': MANIFEST });
    // The current folder, which no person has named before.
    const asked = await runCli(place, ['init']);
    expect({ code: asked.code, config: await configOf(place) }).toEqual({ code: 4, config: '' });
    for (const part of ['+  "permissions"', '"exec(npm test *)"', 'package.json (npm)', '--yes']) expect(asked.err).toContain(part);
    const done = await runCli(place, ['init', '--yes', '--json', ...WHERE]);
    expect(JSON.parse(done.out)).toMatchObject({
      done: true,
      counts: true,
      added: { mode: 'auto-edit', allow: ['exec(npm test *)', 'exec(npm run test *)', 'exec(vitest *)'] },
    });
    expect(await verdict(place, 'run_command', { command: 'npm test -- a' })).toBe('exec(npm test *)');
    expect(await verdict(place, 'write_file', { path: 'a', content: '' })).toBe('mode auto-edit: write');
    const again = await runCli(place, ['init', '--yes', ...WHERE]);
    expect({ code: again.code, err: again.err }).toEqual({ code: 0, err: expect.stringContaining('nothing to do') as string });
  });

  it('lets nothing count that a repository brought', async () => {
    const place = await makePlace({ 'package.json': MANIFEST });
    await mkdir(join(place.folder, '.synapse'));
    await writeFile(join(place.folder, '.synapse/config.jsonc'), '{ "permissions": { "allow": ["exec(touch *)"] } } // theirs');
    const { code, err } = await runCli(place, ['init', '--yes', ...WHERE]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('synapse projects trust') as string });
    expect(await configOf(place)).toMatch(/touch[^]*npm test[^]*\/\/ theirs/u);
    expect(await verdict(place, 'run_command', { command: 'touch x' })).not.toBe('exec(touch *)');
  });

  it('stops counting when the file is changed by something else', async () => {
    const place = await makePlace({ 'package.json': MANIFEST });
    await runCli(place, ['init', '--yes', ...WHERE]);
    await writeFile(join(place.folder, '.synapse/config.jsonc'), (await configOf(place)).replace('npm test', 'npm run deploy'));
    expect(await verdict(place, 'run_command', { command: 'npm run deploy' })).not.toContain('exec(npm run deploy');
  });
});

describe('synapse policy import claude', () => {
  it('takes settings over, and names what it leaves', async () => {
    const place = await makePlace({});
    await mkdir(join(place.folder, '.claude'));
    const permissions = { allow: ['Bash(npm test:*)', 'WebSearch'], deny: ['Read(./.env)'] };
    await writeFile(join(place.folder, '.claude/settings.json'), JSON.stringify({ permissions }));
    const { code, out, err } = await runCli(place, ['policy', 'import', 'claude', '--yes', ...WHERE]);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain('WebSearch: Synapse has no tool that corresponds to WebSearch');
    expect(JSON.parse(await configOf(place))).toEqual({ permissions: { allow: ['exec(npm test *)'], deny: ['read(./.env)'] } });
    expect(await verdict(place, 'run_command', { command: 'npm test' })).toBe('exec(npm test *)');
    expect(await verdict(place, 'read_file', { path: '.env' })).toBe('read(./.env)');
  });

  it('says which file is missing, also in a folder that was not tracked', async () => {
    const { code, err } = await runCli(await makePlace({}), ['policy', 'import', 'claude']);
    expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining('.claude/settings.json') as string });
  });
});
