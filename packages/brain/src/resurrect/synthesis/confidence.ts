import type { Confidence } from '../../report/attribution.ts';
import { amount, quote, say, type SafeText } from '../evidence/safe-text.ts';
import type { NoAnswer } from '../call-log.ts';
import type { Findings } from './findings.ts';

/** A reason for lower confidence, with its weight. */
interface Doubt {
  readonly reason: SafeText;
  readonly weight: 0 | 1 | 2;
}

/** With fewer commits, the history says little about where work happens. */
const FEW_COMMITS = 5;

function doubts(findings: Findings, unseen: readonly NoAnswer[], complete: boolean): Doubt[] {
  const { structure, metadata, history } = findings;
  const commits = history.repository?.recent?.commits.length ?? 0;
  const shallow = history.repository?.recent?.shallow === true;
  const isDescribed = metadata.manifests.length + metadata.unreadable.length > 0 || metadata.readme !== undefined;
  // What a person must allow was left out on purpose. If a step needs it, the analysis is incomplete.
  const withheld = unseen.filter(({ code }) => code === 'approval_required');
  const failed = unseen.filter(({ code }) => code !== 'approval_required');
  const [failure] = failed;
  const found: (Doubt | false)[] = [
    !complete && { weight: 2, reason: say`the analysis is incomplete` },
    commits === 0 && { weight: 1, reason: say`no history was seen` },
    commits > 0 &&
      commits < FEW_COMMITS && {
        weight: 1,
        reason: shallow
          ? say`the clone is shallow, with ${amount(commits, 'commit')} of its history`
          : say`the history has only ${amount(commits, 'commit')}`,
      },
    shallow && commits >= FEW_COMMITS && { weight: 0, reason: say`the clone is shallow` },
    !isDescribed && {
      weight: 1,
      reason: metadata.hasReadme
        ? say`no known manifest was found, and the README was not read or has no text`
        : say`no known manifest and no README were found`,
    },
    metadata.unreadable.length > 0 && { weight: 1, reason: say`${amount(metadata.unreadable.length, 'manifest')} could not be read` },
    failure !== undefined && {
      weight: 1,
      reason: say`${amount(failed.length, 'call failed')}, the first ${failure.tool}: ${quote(failure.reason)}`,
    },
    withheld.length > 0 && {
      weight: 0,
      reason: say`${amount(withheld.length, 'file')} that may hold secrets ${withheld.length === 1 ? say`was` : say`were`} not read`,
    },
    structure.partial && { weight: 0, reason: say`not every file was listed` },
  ];
  return found.filter((doubt) => doubt !== false);
}

/** Rates the confidence of the report by how much was seen, with the reasons. */
export function judge(
  findings: Findings,
  unseen: readonly NoAnswer[],
  complete: boolean,
): { readonly confidence: Confidence; readonly reasons: readonly SafeText[] } {
  const found = doubts(findings, unseen, complete);
  const weight = found.reduce((sum, doubt) => sum + doubt.weight, 0);
  return { confidence: weight === 0 ? 'high' : weight === 1 ? 'medium' : 'low', reasons: found.map(({ reason }) => reason) };
}
