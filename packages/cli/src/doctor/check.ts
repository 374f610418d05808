/** What one check found. */
export interface Finding {
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it, where something can be done. */
  readonly fix?: string;
}

/** One thing that may or may not work on a machine. */
export interface Check {
  readonly name: string;
  /** Whether nothing works without it. */
  readonly essential: boolean;
  readonly run: () => Promise<Finding>;
}

/** A finding as it is told. */
export interface Report extends Finding {
  readonly name: string;
  readonly essential: boolean;
}

/** Runs the checks at once; one that throws has failed. */
export function runChecks(checks: readonly Check[]): Promise<Report[]> {
  return Promise.all(
    checks.map(async ({ name, essential, run }): Promise<Report> => {
      try {
        return { name, ...(await run()), essential };
      } catch (error) {
        return { name, ok: false, detail: error instanceof Error ? error.message : 'could not be checked', essential };
      }
    }),
  );
}
