import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, slowest first. If one starts last, it keeps one core busy while the other is idle. */
const SLOW = [
  'hands/src/transaction/program-matrix.test.ts',
  'test/security/attacks.test.ts',
  'hands/src/transaction/kill.test.ts',
  'test/conformance/client-suite.test.ts',
  'test/e2e/mcp-install.test.ts',
  'test/e2e/dialects.test.ts',
  'test/providers/examples.test.ts',
  'test/e2e/terminal-approval.test.ts',
  'hands/src/transaction/transaction.test.ts',
  'hands/src/dry-run/commands.test.ts',
  'hands/src/transaction/interrupted.test.ts',
  'hands/src/workspace/changes/named-elsewhere.test.ts',
  'remote/src/nats/nats-faults.test.ts',
  'mcp-server/src/gateway-questions.test.ts',
  'remote/src/relay/conformance.test.ts',
  'test/docs/site.test.ts',
  'hands/src/jobs/jobs.test.ts',
  'hands/src/sandbox/command-sweep.test.ts',
  'hands/src/transaction/linked-worktree.test.ts',
  'remote/src/crash.test.ts',
  'test/console/safety.test.ts',
  'hands/src/search/search.test.ts',
  'hands/src/policy/known-programs.property.test.ts',
  'test/security/race.test.ts',
  'hands/src/transaction/hidden.test.ts',
  'hands/src/jobs/detached.test.ts',
  'hands/src/sandbox/sandbox-processes.test.ts',
  'remote/src/worker/worker.test.ts',
  'test/e2e/remote-facades.test.ts',
  'test/e2e/chat.test.ts',
  'test/e2e/installed-package.test.ts',
  'hands/src/transaction/change-meaning.test.ts',
  'hands/src/sandbox/resource-limits.test.ts',
  'hands/src/transaction/closed-folder.test.ts',
  'test/e2e/cli.test.ts',
  'hands/src/transaction/brought-by-git.test.ts',
];

/** A process is shared only by files that follow each other. The shortest are last, as all cores are then busy to the end. */
const PROJECTS = ['process', 'shared-process', 'unit'];

/** Runs slow files of each project first, the rest in the order of Vitest. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const found = SLOW.findIndex((path) => moduleId.endsWith(path));
      return PROJECTS.indexOf(project.name) * 1000 + (found === -1 ? SLOW.length : found);
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
