import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './scripts/slow-first.ts';

// Unit tests run the sources; end-to-end tests in test/ run what was built.
const conditions = ['synapse-source'];

// Node 22 cannot parse `using`, and lacks what comes with it: the bundles bring both along, and so do the tests there.
const older = Number.parseInt(process.versions.node, 10) < 24;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  ...(older ? { oxc: { target: 'node22.13' } } : {}),
  test: {
    ...(older ? { setupFiles: ['scripts/older-node/install.ts'] } : {}),
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Processes that tests start run the sources too: kept compiled, they start in half the time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.synapse/compiled', import.meta.url)) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests wait for things to happen, not for times to pass: the limit is for what never happens.
    expect: { poll: { timeout: 20_000 } },
    // On a loaded machine a test may run out of time: it gets a second try, and the report says so. A wrong value gets none.
    retry: { count: 1, condition: /timed out in \d+ms/u },
    // For two cores: tests wait for processes and timers for a third of their time.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
  },
});
