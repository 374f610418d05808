// Adds to the sources, for unit tests, what the bundles include for Node 22.
import { AsyncDisposableStack, DisposableStack, escapePattern } from './shims.ts';

Object.assign(globalThis, { AsyncDisposableStack, DisposableStack });
Object.assign(RegExp, { escape: escapePattern });
