import { ATTEMPT_VARIABLE, BRANCH_VARIABLE } from './branch-variable.ts';

/** Where a question comes from, as a person at a console reads it: the program, and the attempt and the branch that it works for. */
export function askedFrom(program: string, environment: NodeJS.ProcessEnv = process.env): string {
  const attempt = /^[0-9a-f]+:(\d+)/u.exec(environment[ATTEMPT_VARIABLE] ?? '')?.[1];
  const branch = environment[BRANCH_VARIABLE];
  return [program, ...(attempt === undefined ? [] : [`attempt ${attempt}`]), ...(branch === undefined ? [] : [`branch ${branch}`])].join(', ');
}
