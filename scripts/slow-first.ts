import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, slowest first. If one starts last, it keeps one core busy while the other is idle. */
const SLOW = [
  'hands/src/transaction/program-matrix.process.test.ts',
  'test/security/attacks.process.test.ts',
  'hands/src/transaction/kill.process.test.ts',
  'test/conformance/client-suite.process.test.ts',
  'test/e2e/mcp-install.process.test.ts',
  'test/e2e/dialects.process.test.ts',
  'test/providers/examples.process.test.ts',
  'test/e2e/terminal-approval.process.test.ts',
  'hands/src/transaction/transaction.process.test.ts',
  'hands/src/dry-run/commands.process.test.ts',
  'hands/src/transaction/interrupted.process.test.ts',
  'hands/src/workspace/changes/named-elsewhere.process.test.ts',
  'remote/src/nats/nats-faults.process.test.ts',
  'mcp-server/src/gateway-questions.process.test.ts',
  'remote/src/relay/conformance.process.test.ts',
  'test/docs/site.process.test.ts',
  'hands/src/jobs/jobs.process.test.ts',
  'hands/src/sandbox/command-sweep.process.test.ts',
  'hands/src/transaction/linked-worktree.process.test.ts',
  'remote/src/crash.process.test.ts',
  'test/console/safety.process.test.ts',
  'hands/src/search/search.process.test.ts',
  'hands/src/policy/known-programs.property.process.test.ts',
  'test/security/race.process.test.ts',
  'hands/src/transaction/hidden.process.test.ts',
  'hands/src/jobs/detached.process.test.ts',
  'hands/src/sandbox/sandbox-processes.process.test.ts',
  'remote/src/worker/worker.process.test.ts',
  'test/e2e/remote-facades.process.test.ts',
  'test/e2e/chat.process.test.ts',
  'test/e2e/installed-package.process.test.ts',
  'hands/src/transaction/change-meaning.process.test.ts',
  'hands/src/sandbox/resource-limits.process.test.ts',
  'hands/src/transaction/closed-folder.process.test.ts',
  'test/e2e/cli.process.test.ts',
  'hands/src/transaction/brought-by-git.process.test.ts',
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
