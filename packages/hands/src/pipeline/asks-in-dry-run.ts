import type { Decision, JudgedPart } from '../policy/decision.ts';

/** What of a part is more than a plan in a dry run. */
type Happening = 'nothing' | 'something' | 'a run in the sandbox';

const HAPPENS: Record<JudgedPart['part']['kind'], Happening> = {
  read: 'something',
  mention: 'something',
  write: 'nothing',
  delete: 'nothing',
  net: 'nothing',
  mcp: 'something',
  exec: 'a run in the sandbox',
  unknown: 'a run in the sandbox',
  call: 'something',
};

/**
 * What has to be asked about before a dry run; undefined where nothing has.
 *
 * Changes and the network do not happen in it. Reading does, and what was read is shown: that asks as ever. A command
 * runs, but in the sandbox, on a copy and without network: it reads what the sandbox shows, which hides all that must
 * not be read, and what it says goes to whoever asked for the dry run, which is never a brain. So what only a mode or
 * Synapse itself asks about needs no yes. A rule that somebody wrote about the command does.
 *
 * @param confined whether the call runs commands, in a sandbox
 */
export function asksInDryRun({ parts }: Decision, confined: boolean): JudgedPart | undefined {
  return parts.find(({ verdict, part, rule }) => {
    if (verdict !== 'ask' || HAPPENS[part.kind] === 'nothing') return false;
    const byRule = rule.layer !== 'mode' && rule.layer !== 'built-in';
    return byRule || !(confined || HAPPENS[part.kind] === 'a run in the sandbox');
  });
}
