import { claim, type Claim } from '../evidence/claim.ts';
import { day, quote, say } from '../evidence/safe-text.ts';
import type { Devlog } from '../devlog/read-devlog.ts';
import { README } from '../metadata/readme.ts';
import type { Findings } from './findings.ts';

/** Days between the last change of a log and the newest commit after which its plans may be outdated. */
const STALE_DAYS = 90;
const DAY_MS = 86_400_000;
/** Maximum number of plans to list of each log, so that a long to-do list does not hide other plans, and in total. */
const PLANS_OF_LOG = 3;
const PLANS = 4;

/** Whether a log was last changed long before the newest commit. */
function isOld({ changed }: Devlog, { history: { repository } }: Findings): boolean {
  const newest = repository?.recent?.commits[0]?.time;
  return newest !== undefined && changed?.time !== undefined && newest - changed.time > STALE_DAYS * DAY_MS;
}

const OPEN_ADVICE = { stuck: say`Get over what held the work up`, next: say`Planned`, box: say`Planned` } as const;

/** Suggests what the logs plan. */
export const currentPlans = (findings: Findings): Claim[] =>
  findings.devlogs
    .filter((log) => !isOld(log, findings))
    .flatMap(({ open }) => open.slice(0, PLANS_OF_LOG).map(({ kind, text, evidence }) => claim(say`${OPEN_ADVICE[kind]}: ${quote(text)}`, evidence)))
    .slice(0, PLANS);

/** Suggests what logs planned that did not change for long. */
export const oldPlans = (findings: Findings): Claim[] =>
  findings.devlogs
    // A README describes what exists. Its plans are easily forgotten there.
    .filter((log) => isOld(log, findings) && !README.test(log.path))
    .flatMap(({ path, open, changed }) =>
      open
        .slice(0, PLANS_OF_LOG)
        .map(({ text, evidence }) =>
          claim(
            say`Planned in ${path} (last changed ${day(changed?.day ?? '')}, so check that it still holds): ${quote(text)}`,
            evidence,
            ...(changed === undefined ? [] : [changed.evidence]),
          ),
        ),
    )
    .slice(0, PLANS);
