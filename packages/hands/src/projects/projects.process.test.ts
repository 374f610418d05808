import { mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { suspiciousAttempts } from '../audit/query-audit.ts';
import { Projects } from './projects.ts';

async function place(): Promise<{ base: string; state: string; project: string }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-projects-')));
  const project = join(base, 'project');
  await mkdir(project);
  return { base, state: join(base, 'state'), project };
}

it('keeps a list, in which a folder has one name', async () => {
  const { base, state, project } = await place();
  await symlink(project, join(base, 'link'));
  using projects = Projects.open(state);
  expect([projects.add(project), projects.add(join(base, 'link'))]).toEqual([true, false]);
  projects.trust(join(base, 'link'));
  expect(projects.list()).toMatchObject([{ root: project, trusted: true }]);
  projects.trust(project, false);
  expect(projects.get(project)).toMatchObject({ trusted: false });
  projects.remove(project);
  expect(projects.list()).toEqual([]);
  expect(() => projects.remove(project)).toThrow('Project not tracked.');
  expect((await stat(join(state, 'projects.db'))).mode & 0o777).toBe(0o600);
});

it('opens hands on tracked projects only, where that is required', async () => {
  const { state, project } = await place();
  const open = (tracked: 'require' | 'add', workspace = project) => createHands({ workspace, stateFolder: state, tracked });
  await expect(open('require')).rejects.toMatchObject({ code: 'denied', message: 'Project not tracked. Only tracked projects can be accessed.' });
  {
    await using hands = await open('add');
    expect(hands.workspace).toBe(project);
  }
  await mkdir(join(project, 'below'));
  await expect(open('require', join(project, 'below'))).rejects.toMatchObject({
    message: 'Project not tracked. Only tracked projects can be accessed.',
    hint: expect.stringContaining(`tracked project: ${project}.`) as string,
  });
  await using hands = await open('require');
  await rm(project, { recursive: true });
  expect(await hands.call('list_directory', { path: '.' })).toMatchObject({ ok: false, error: { message: 'Project no longer exists' } });
  await expect(open('require')).rejects.toMatchObject({ code: 'not_found', message: 'Project no longer exists' });
  await expect(open('add')).rejects.toMatchObject({ code: 'not_found', message: 'Project no longer exists' });
});

it('names a command that a shell takes as it is, whatever the name of the folder', async () => {
  const { base, state } = await place();
  using projects = Projects.open(state);
  const folder = join(base, "it's mine; $(touch x)");
  await mkdir(folder);
  const quoted = `'${base}/it'\\''s mine; $(touch x)'`;
  const hint = expect.stringContaining(`synapse projects add ${quoted} (`) as string;
  expect(() => projects.require(folder)).toThrow(expect.objectContaining({ hint }) as Error);
});

it.each([
  ['a home folder', () => process.env['HOME'] ?? '/root', 'cannot be a workspace'],
  ['a system folder', () => '/etc', 'cannot be a workspace'],
  ['a file', ({ base }: { base: string }) => join(base, 'file'), 'is not a folder'],
  ['a folder that is not there', ({ base }: { base: string }) => join(base, 'none'), 'does not exist'],
  ['a folder that holds the state', ({ base }: { base: string }) => base, 'is inside the workspace'],
  ['the state folder', ({ state }: { state: string }) => state, 'state folder'],
  ['a folder in the state folder', ({ state }: { state: string }) => join(state, 'audit'), 'inside the state folder'],
])('lists no %s, and opens no hands on it', async (_, folder, message) => {
  const at = await place();
  await mkdir(join(at.state, 'audit'), { recursive: true });
  await writeFile(join(at.base, 'file'), '');
  using projects = Projects.open(at.state);
  expect(() => projects.add(folder(at))).toThrow(message);
  await expect(createHands({ workspace: folder(at), stateFolder: at.state })).rejects.toThrow(message);
});

it('sees through a link that makes the state folder seem to be elsewhere', async () => {
  const { base, project } = await place();
  await mkdir(join(project, 'hidden'));
  await symlink(join(project, 'hidden'), join(base, 'state-link'));
  await expect(createHands({ workspace: project, stateFolder: join(base, 'state-link', 'synapse') })).rejects.toThrow('is inside the workspace');
});

it('sets a damaged list aside, says so, and never writes to it', async () => {
  const { state, project } = await place();
  await mkdir(state);
  const damaged = Buffer.from('SQLite format 3\0 and then nothing that makes sense'.repeat(50));
  await writeFile(join(state, 'projects.db'), damaged);
  using projects = Projects.open(state);
  expect(projects.setAside).toMatch(/^projects\.db\.damaged-/u);
  expect(await readFile(join(state, projects.setAside ?? ''))).toEqual(damaged);
  expect(() => projects.require(project)).toThrow(expect.objectContaining({ hint: expect.stringContaining('was damaged and moved to') as string }));
  projects.add(project);
  expect((await readdir(state)).filter((name) => name.includes('damaged'))).toHaveLength(1);
});

it('remembers attempts to reach what is out of bounds', async () => {
  const { base, state, project } = await place();
  await symlink(base, join(project, 'leaving'));
  await writeFile(join(project, 'a'), '');
  await using hands = await createHands({ workspace: project, stateFolder: state, allow: ['write'], tracked: 'add' });
  await hands.call('read_file', { path: 'a' });
  await hands.call('read_file', { path: 'missing' });
  await hands.call('read_file', { path: '../../etc/passwd' });
  await hands.call('read_file', { path: 'leaving/secret' });
  await hands.call('write_file', { path: '.git/hooks/pre-commit', content: 'x' });
  await hands.call('run_command', { command: 'true' });
  const attempts = suspiciousAttempts(state, project, 10);
  expect(attempts.map(({ tool, code, guard, resources }) => [tool, code, guard, resources?.[0]?.resource])).toEqual([
    ['write_file', 'approval_required', 'protected', '.git/hooks/pre-commit'],
    ['read_file', 'outside_workspace', undefined, 'leaving/secret'],
    ['read_file', 'outside_workspace', undefined, '../../etc/passwd'],
  ]);
  expect(suspiciousAttempts(state, project, 1)).toHaveLength(1);
});

it('shows what trusting a project starts, and lets in nothing that came while a person read', async () => {
  const { state, project } = await place();
  const servers = (command: string): string => JSON.stringify({ mcpServers: { one: { command, args: ['--port', '1'], env: { KEY: 'value' } } } });
  await writeFile(join(project, '.mcp.json'), servers('shown'));
  using projects = Projects.open(state);
  expect(() => projects.review(project)).toThrow('Project not tracked');
  projects.add(project);
  const review = projects.review(project);
  expect(review.starts).toEqual([
    { name: 'one', origin: join(project, '.mcp.json'), lines: ['runs "shown" "--port" "1"', 'with the variables KEY'] },
  ]);
  await writeFile(join(project, '.mcp.json'), servers('changed'));
  projects.trust(project, true, review);
  await using hands = await createHands({ workspace: project, stateFolder: state, configFolder: state, mcp: { connect: 'demand' } });
  expect(hands.mcp.list()).toMatchObject([{ name: 'one', state: 'unapproved' }]);
});
