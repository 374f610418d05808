/** What one check found. */
export interface Finding {
  /** What it is about, where one check finds several things. Default: the name of the check. */
  readonly name?: string;
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
  readonly run: () => Promise<Finding | readonly Finding[]>;
}

/** A finding as it is told. */
export interface Report extends Finding {
  readonly name: string;
  readonly essential: boolean;
}

/** Runs the checks at once; one that throws has failed. */
export async function runChecks(checks: readonly Check[]): Promise<Report[]> {
  const reports = checks.map(async ({ name, essential, run }): Promise<Report[]> => {
    try {
      return [await run()].flat().map((finding) => ({ name, ...finding, essential }));
    } catch (error) {
      return [{ name, ok: false, detail: error instanceof Error ? error.message : 'could not be checked', essential }];
    }
  });
  return (await Promise.all(reports)).flat();
}
