import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, slowest first. If one starts last, it keeps one core busy while the other is idle. */
const SLOW = [
  'hands/src/transaction/program-matrix.test.ts',
  'test/security/attacks.test.ts',
  'test/conformance/client-suite.test.ts',
  'mcp-server/src/approval/approval.test.ts',
  'test/e2e/mcp-install.test.ts',
  'hands/src/transaction/transaction.test.ts',
  'mcp-server/src/gateway-questions.test.ts',
  'test/e2e/dialects.test.ts',
  'hands/src/transaction/kill.test.ts',
  'test/e2e/terminal-approval.test.ts',
  'remote/src/nats/nats-faults.test.ts',
  'test/providers/examples.test.ts',
  'hands/src/jobs/jobs.test.ts',
  'test/security/race.test.ts',
  'remote/src/worker/worker.test.ts',
  'remote/src/nats/open-nats.test.ts',
  'hands/src/sandbox/sandbox-processes.test.ts',
  'hands/src/dry-run/commands.test.ts',
  'hands/src/mcp-client/mcp-servers.test.ts',
  'test/console/safety.test.ts',
  'remote/src/relay/conformance.test.ts',
  'mcp-server/src/gateway-offers.test.ts',
  'test/e2e/agent.test.ts',
  'mcp-server/src/http/hostile-http.test.ts',
  'hands/src/sandbox/resource-limits.test.ts',
  'test/e2e/cli.test.ts',
  'remote/src/crash.test.ts',
];

/** Runs slow files first, the rest in the order of Vitest. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = SLOW.findIndex((path) => moduleId.endsWith(path));
      return found === -1 ? SLOW.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
