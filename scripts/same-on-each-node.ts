/**
 * Long tests of plain computation, on text and numbers alone: random searches, and bounds for huge inputs. They take half
 * the time of all unit tests, and the modules that they test are run by others on each version as well. `npm test` runs
 * them on the pinned version, `npm run test:node` on any.
 */
export const SAME_ON_EACH_NODE = [
  'packages/cli/src/install/plan-install.test.ts',
  'packages/hands/src/danger/judge-steps.test.ts',
  'packages/hands/src/edit/match-text.test.ts',
  'packages/hands/src/edit/plan-edits.test.ts',
  'packages/hands/src/patch/apply-file-patches.test.ts',
  'packages/hands/src/policy/denied-places.property.test.ts',
  'packages/hands/src/policy/gitignore-pattern.property.test.ts',
  'packages/hands/src/policy/understanding-steps.property.test.ts',
  'packages/protocol/src/remote/model.test.ts',
  'packages/protocol/src/remote/relay-flow.test.ts',
];
