import { expect, it } from 'vitest';
import { wrongClaims } from '../fixtures/check-claims.ts';
import { expectWellFormed, run } from '../fixtures/test-project.ts';
import { DORMANT, makeDormant, removeProject } from '../fixtures/dormant-repositories.ts';

it.each(DORMANT)('$language: $name', async (dormant) => {
  const project = await makeDormant(dormant);
  const resurrection = await run(project.folder, dormant.folder === undefined ? {} : { folder: dormant.folder });
  await expectWellFormed(resurrection);
  expect(wrongClaims(project.folder, resurrection, dormant.folder)).toEqual([]);
  const steps = (resurrection.report.split('## Suggested Next Steps')[1] ?? '').split('\n');
  const missing = dormant.steps.filter((step) => !steps.some((line) => step.test(line)));
  expect(missing).toEqual([]);
  if (dormant.not !== undefined) expect(resurrection.report).not.toMatch(dormant.not);
  await removeProject(project);
});

it('notices a claim that is wrong', async () => {
  const [dormant] = DORMANT;
  if (dormant === undefined) throw new Error('There are no dormant repositories.');
  const project = await makeDormant(dormant);
  const resurrection = await run(project.folder);
  const forge = (from: RegExp, to: string): string[] => {
    expect(resurrection.report).toMatch(from);
    return wrongClaims(project.folder, { ...resurrection, report: resurrection.report.replace(from, to) });
  };
  expect(forge(/`coupons`: 1 commit/u, '`coupons`: 2 commits')).toHaveLength(1);
  expect(
    forge(/Authors of the last \d+ commits: `Ada` \(\d+\)|Authors of all \d+ commits: `Ada` \(\d+\)/u, 'Authors of all 9 commits: `Ada` (1)'),
  ).toHaveLength(1);
  expect(forge(/touched it \(\d+%\)/u, 'touched it (1%)')).toHaveLength(1);
  expect(forge(/`src\/cart\.ts:1`, (`src\/cart\.ts:3` still use it)/u, '`src/money.ts:1`, $1')).toHaveLength(1);
  await removeProject(project);
});
