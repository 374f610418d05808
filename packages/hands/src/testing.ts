/**
 * Hands on a temporary folder, for tests of custom tools and rules.
 * @module
 */
export { createTestHands } from './testing/test-hands.ts';
export type { TestHands, TestHandsOptions } from './testing/test-hands.ts';
