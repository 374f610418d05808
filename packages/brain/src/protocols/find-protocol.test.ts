import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findProtocol, listProtocols } from './find-protocol.ts';

const GOOD = '---\nid: good\ntitle: Good\ndescription: Works\n---\n\n## Look\n\nLook.\n\nRequired output: a list\n';
const BAD = '---\nid: bad\ntitle: Bad\nsteps:\n  - id: x\n   title: y\n---\n';

it('a file that is no protocol is in the way of no other, and is named where it is meant', async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  await mkdir(join(workspace, '.synapse/protocols'), { recursive: true });
  await writeFile(join(workspace, '.synapse/protocols/good.md'), GOOD);
  await writeFile(join(workspace, '.synapse/protocols/bad.md'), BAD);
  expect(await findProtocol(workspace, 'good')).toMatchObject({ id: 'good' });
  expect(await findProtocol(workspace, 'review-changes')).toMatchObject({ id: 'review-changes' });
  await expect(findProtocol(workspace, 'bad')).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringMatching(/^Invalid protocol: \.synapse\/protocols\/bad\.md:6: Sequence item without - indicator\.$/mu) as string,
  });
  await expect(findProtocol(workspace, 'gone')).rejects.toMatchObject({
    code: 'not_found',
    hint: expect.stringMatching(/^Protocols: project-resurrection.*good\nInvalid protocol: .*bad\.md:6/u) as string,
  });
  const { protocols, problems } = await listProtocols(workspace);
  expect(protocols.at(-1)).toMatchObject({ id: 'good' });
  expect([...problems.keys()]).toEqual([join('.synapse/protocols', 'bad.md')]);
});
