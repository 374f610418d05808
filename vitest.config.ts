import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { SAME_ON_EACH_NODE } from './scripts/same-on-each-node.ts';
import { SlowFirst } from './scripts/slow-first.ts';

// Unit tests run the sources; end-to-end tests in test/ run what was built.
const conditions = ['synapse-source'];

// Node 22 cannot parse `using`, and lacks what comes with it: the bundles bring both along, and so do the tests there.
const older = Number.parseInt(process.versions.node, 10) < 24;

/** Tests that start processes: `npm run check` leaves them out, and `scripts/unit-tests.ts` fails others that start one. */
const processTests = ['packages/*/src/**/*.process.test.ts', '{test,scripts}/**/*.process.test.ts'].flatMap((pattern) =>
  globSync(pattern, { cwd: import.meta.dirname }),
);
/** The heavy ones there have a process of their own, as loading modules is a small part of their time. Of the others it was a quarter. */
const isApart = (path: string): boolean => /^(?:packages\/hands\/src\/transaction|packages\/remote|test)\/.*\.heavy\./u.test(path);

// Set by `npm run test:all` for the other versions of Node.
const leftOut = process.env['ONLY_WHAT_MAY_DIFFER'] === undefined ? [] : SAME_ON_EACH_NODE;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  ...(older ? { oxc: { target: 'node22.13' } } : {}),
  test: {
    globalSetup: 'scripts/temporary-folder.ts',
    ...(older ? { setupFiles: ['scripts/older-node/install.ts', 'scripts/older-node/start-sources.mjs'] } : {}),
    projects: [
      { extends: true, test: { name: 'process', include: processTests.filter(isApart) } },
      {
        extends: true,
        test: {
          name: 'shared-process',
          include: processTests.filter((path) => !isApart(path)),
          // As for unit tests: most of these load all of hands.
          isolate: false,
          setupFiles: ['scripts/shared-process-tests.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...processTests, ...leftOut],
          // Modules are loaded once, not for every file, which would take three quarters of the time.
          isolate: false,
          setupFiles: ['scripts/unit-tests.ts'],
        },
      },
    ],
    env: {
      // No test finds the session of the person who runs it: the keychain of that session would get logins and keys of devices.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      // Processes that tests start run the sources too: kept compiled, they start in half the time.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.synapse/compiled', import.meta.url)),
      ...(older ? { NODE_OPTIONS: `--import=${new URL('scripts/older-node/run-sources.mjs', import.meta.url).href}` } : {}),
    },
    // Tests wait for things to happen, not for times to pass: the limits are for what never happens, also on a machine four times as slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // On a loaded machine a test may run out of time: it gets a second try, and the report says so. A wrong value gets none.
    retry: { count: 1, condition: /timed out in \d+ms/u },
    // For two cores: tests wait for processes and timers for a third of their time.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
  },
});
