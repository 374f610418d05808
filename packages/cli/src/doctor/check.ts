/** The result of one check. */
export interface Finding {
  /** The subject, if one check has several results. Default: the name of the check. */
  readonly name?: string;
  readonly ok: boolean;
  readonly detail: string;
  /** How to fix it, if it can be fixed. */
  readonly fix?: string;
  /** What `doctor --fix` does about it after a yes: it writes one file or sets one mode, and opens nothing else. */
  readonly repair?: Repair;
}

/** A file to write with the program that makes it take effect, or the mode of a folder to set. */
export type Repair =
  | { readonly file: string; readonly content: string; readonly then: readonly [program: string, ...args: string[]] }
  | { readonly folder: string; readonly mode: number };

/** Something that may not work on a machine. */
export interface Check {
  readonly name: string;
  /** Whether Synapse does not work at all without it. */
  readonly essential: boolean;
  readonly run: () => Promise<Finding | readonly Finding[]>;
}

/** A result as `doctor` prints it. */
export interface Report extends Finding {
  readonly name: string;
  readonly essential: boolean;
}

/** Runs the checks in parallel. A check that throws counts as failed. */
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
