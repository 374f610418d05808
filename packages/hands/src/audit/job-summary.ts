/** Maximum number of characters of a command in a summary. */
const COMMAND_CHARACTERS = 60;
const MS_PER_SECOND = 1_000;

/** What a summary tells of a job. */
interface JobFacts {
  readonly tool: string;
  readonly id: string;
  readonly command: string;
  /** In words. */
  readonly ending: string;
  readonly durationMs: number;
}

/** The line of the log about a job that ended: `run_command(npm test) → exit code 0, 12.4 s, job-1a2b3c4d`. */
export function jobSummary({ tool, id, command, ending, durationMs }: JobFacts): string {
  const line = command.trim().replaceAll(/[\s\p{C}]+/gu, ' ');
  const short = line.length > COMMAND_CHARACTERS ? `${line.slice(0, COMMAND_CHARACTERS).toWellFormed()}…` : line;
  return `${tool}(${short}) → ${ending}, ${(durationMs / MS_PER_SECOND).toFixed(1)} s, ${id}`;
}
