import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPromptFile } from './prompt-file.ts';

it('reads files of the workspace, and nothing that a link leads to', async () => {
  const base = await mkdtemp(join(tmpdir(), 'synapse-prompt-'));
  const [workspace, outside] = [join(base, 'workspace'), join(base, 'outside')];
  await mkdir(join(workspace, 'inner'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'AGENTS.md'), 'secret');
  await writeFile(join(workspace, 'inner', 'AGENTS.md'), 'rules');
  await symlink(outside, join(workspace, 'folder'));
  await symlink(join(outside, 'AGENTS.md'), join(workspace, 'AGENTS.md'));
  expect(await readPromptFile(workspace, 'inner/AGENTS.md')).toEqual({ path: 'inner/AGENTS.md', text: 'rules' });
  expect(await readPromptFile(workspace, 'folder/AGENTS.md')).toBeUndefined();
  expect(await readPromptFile(workspace, 'AGENTS.md')).toBeUndefined();
  expect(await readPromptFile(workspace, 'gone.md')).toBeUndefined();
});
