/** Reads a file of the project by name; undefined if it is missing. */
export type ReadManifest = (name: string) => string | undefined;

/** Commands that are safe to run without a question, according to a manifest. */
export interface FoundCommands {
  /** The name of the file, as shown to a person. */
  readonly from: string;
  /** Patterns of `exec(…)` rules. */
  readonly commands: readonly string[];
}

/** Names of tasks that test, check, build or format, and never publish. */
const TASK = /^(?:test|tests|check|lint|build|compile|format|fmt|type-?check|types|tsc|coverage|unit|spec|e2e|integration)(?:[:_.-][\w:.-]+)?$/u;
const NOT_TASK = /(?:^|[:_.-])(?:publish|deploy|release|push|upload|watch|dev|serve|start|update|install)(?:$|[:_.-])/u;

/** Whether a task tests, checks, builds or formats. */
export function isCheck(name: string): boolean {
  return TASK.test(name) && !NOT_TASK.test(name);
}
