import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, slowest first. If one starts last, it keeps one core busy while the other is idle. */
const SLOW = [
  'hands/src/transaction/program-matrix.heavy.process.test.ts',
  'test/security/findings.heavy.process.test.ts',
  'test/security/attacks.heavy.process.test.ts',
  'test/e2e/branch.heavy.process.test.ts',
  'test/e2e/attempts.heavy.process.test.ts',
  'hands/src/transaction/kill.heavy.process.test.ts',
  'test/e2e/contract.heavy.process.test.ts',
  'remote/src/nats/nats-crash.heavy.process.test.ts',
  'remote/src/forward.heavy.process.test.ts',
  'test/security/build-outputs.heavy.process.test.ts',
  'test/conformance/inspector.heavy.process.test.ts',
  'test/e2e/dialects.heavy.process.test.ts',
  'test/security/race.heavy.process.test.ts',
  'test/docs/site.heavy.process.test.ts',
  'remote/src/worker/worker.heavy.process.test.ts',
  'test/e2e/replay.heavy.process.test.ts',
  'test/console/branches.heavy.process.test.ts',
  'test/conformance/conformance.heavy.process.test.ts',
  'test/e2e/remote-pairing.heavy.process.test.ts',
  'remote/src/history.heavy.process.test.ts',
  'test/e2e/terminal-approval.heavy.process.test.ts',
  'test/docs/code.heavy.process.test.ts',
  'remote/src/whole-output.heavy.process.test.ts',
  'hands/src/transaction/linked-worktree.heavy.process.test.ts',
  'hands/src/transaction/named-by-git.heavy.process.test.ts',
  'remote/src/relay/conformance.heavy.process.test.ts',
  'test/e2e/branch-apply.heavy.process.test.ts',
  'hands/src/transaction/run-on-clone.heavy.process.test.ts',
  'test/e2e/acp.heavy.process.test.ts',
  'test/e2e/acp-v2.heavy.process.test.ts',
  'hands/src/transaction/large-packs.heavy.process.test.ts',
  'test/security/moved-places.heavy.process.test.ts',
  'remote/src/nats/nats-faults.heavy.process.test.ts',
  'test/e2e/mcp-install.heavy.process.test.ts',
  'test/e2e/chat.heavy.process.test.ts',
  'test/e2e/recorded-day.heavy.process.test.ts',
  'test/e2e/browser-brain.heavy.process.test.ts',
  'remote/src/nats/open-nats.heavy.process.test.ts',
  'hands/src/blame/random-histories.heavy.process.test.ts',
  'hands/src/sandbox/landlock/environments.heavy.process.test.ts',
  'hands/src/tools/run-program.heavy.process.test.ts',
  'brain/src/resurrect/dormant/false-claims.heavy.process.test.ts',
  'hands/src/pipeline/installed-programs.heavy.process.test.ts',
  'hands/src/search/ignore-search.heavy.process.test.ts',
  'hands/src/branch/back-ends.heavy.process.test.ts',
  'hands/src/dry-run/commands.heavy.process.test.ts',
  'hands/src/search/indexed-search.heavy.process.test.ts',
  'mcp-server/src/structured.heavy.process.test.ts',
  'hands/src/git/push-facts.heavy.process.test.ts',
  'hands/src/jobs/detached.heavy.process.test.ts',
  'hands/src/tools/structure.heavy.process.test.ts',
  'hands/src/workspace/changes/named-elsewhere.heavy.process.test.ts',
  'hands/src/sandbox/sandbox-processes.process.test.ts',
  'mcp-server/src/gateway-questions.heavy.process.test.ts',
  'hands/src/sandbox/landlock/landlock.heavy.process.test.ts',
  'hands/src/branch/apply-branch.property.heavy.process.test.ts',
  'hands/src/branch/kill-branch.heavy.process.test.ts',
  'hands/src/runtime/branch-hands.heavy.process.test.ts',
  'hands/src/pipeline/note-commits.heavy.process.test.ts',
  'hands/src/pipeline/asked-changes.process.test.ts',
  'hands/src/search/search.heavy.process.test.ts',
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
