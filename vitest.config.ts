import { defineConfig } from 'vitest/config';

// Unit tests run the sources; end-to-end tests in test/ run what was built.
const conditions = ['synapse-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
  },
});
