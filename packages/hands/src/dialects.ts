/**
 * Tool names, schemas and results of other systems, mapped onto the built-in tools.
 * @module
 */
export { describeTools } from './dialects/describe-tools.ts';
export type { Dialect, DialectAnswer, DialectResult, DialectTool, DialectToolDescription, ObjectSchema } from './dialects/dialect.ts';
export { DIALECTS, findDialect } from './dialects/find-dialect.ts';
