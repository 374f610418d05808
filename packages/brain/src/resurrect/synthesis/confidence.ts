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

/** What the history leaves open. */
function historyDoubts({ repository }: Findings['history']): Doubt[] {
  const commits = repository?.recent?.commits.length ?? 0;
  const shallow = repository?.recent?.shallow === true;
  if (commits === 0) return [{ weight: 1, reason: say`no history was seen` }];
  if (commits >= FEW_COMMITS) return shallow ? [{ weight: 0, reason: say`the clone is shallow` }] : [];
  const seen = amount(commits, 'commit');
  return [{ weight: 1, reason: shallow ? say`the clone is shallow, with ${seen} of its history` : say`the history has only ${seen}` }];
}

/** What is not known of the project from its own files about it. */
function metadataDoubts({ manifests, unreadable, readme, hasReadme }: Findings['metadata']): Doubt[] {
  if (unreadable.length > 0) return [{ weight: 1, reason: say`${amount(unreadable.length, 'manifest')} could not be read` }];
  if (manifests.length > 0 || readme !== undefined) return [];
  const reason = hasReadme
    ? say`no known manifest was found, and the README was not read or has no text`
    : say`no known manifest and no README were found`;
  return [{ weight: 1, reason }];
}

/** What calls did not answer. What a person must allow was left out on purpose. If a step needs it, the analysis is incomplete. */
function callDoubts(unseen: readonly NoAnswer[]): Doubt[] {
  const withheld = unseen.filter(({ code }) => code === 'approval_required');
  const failed = unseen.filter(({ code }) => code !== 'approval_required');
  const [failure] = failed;
  const found: Doubt[] = [];
  if (failure !== undefined)
    found.push({ weight: 1, reason: say`${amount(failed.length, 'call failed')}, the first ${failure.tool}: ${quote(failure.reason)}` });
  if (withheld.length > 0) {
    const were = withheld.length === 1 ? say`was` : say`were`;
    found.push({ weight: 0, reason: say`${amount(withheld.length, 'file')} that may hold secrets ${were} not read` });
  }
  return found;
}

function doubts({ structure, metadata, history }: Findings, unseen: readonly NoAnswer[], complete: boolean): Doubt[] {
  return [
    ...(complete ? [] : [{ weight: 2, reason: say`the analysis is incomplete` } as const]),
    ...historyDoubts(history),
    ...metadataDoubts(metadata),
    ...callDoubts(unseen),
    ...(structure.partial ? [{ weight: 0, reason: say`not every file was listed` } as const] : []),
  ];
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
