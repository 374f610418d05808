import type { AuditedCall } from '@synapse/hands/internal';
import { shortId } from './short-id.ts';
import { visibleText } from './visible-text.ts';

/** Characters of arguments in a line without a summary. */
const ARGUMENTS_WIDTH = 80;

function summary({ tool, status, start, end }: AuditedCall): string {
  if (end?.ok === true) return end.summary;
  // A failed call has no summary, so show its arguments.
  const text = JSON.stringify(start.arguments) ?? '';
  return `${tool}(${text.length > ARGUMENTS_WIDTH ? `${text.slice(0, ARGUMENTS_WIDTH)}…` : text}) → ${end?.code ?? status}`;
}

const oneLine = (text: string): string => visibleText(text).replaceAll('\n', '␊');

/** A call as one line: time, summary, duration, step and session. */
export function callLine(call: AuditedCall): string {
  const { time, status, start, end } = call;
  const facts = [
    ...(end === undefined ? [] : [`${end.duration_ms < 10 ? end.duration_ms.toFixed(1) : Math.round(end.duration_ms)} ms`]),
    ...(start.step === undefined ? [] : [start.step]),
    ...(start.session === undefined ? [] : [`session ${shortId(start.session)}`]),
    ...(start.dry_run === true ? ['dry run'] : []),
    ...(end?.applied_from === undefined ? [] : ['tried on a copy, then applied']),
    ...(end?.sandbox === undefined ? [] : [`sandbox ${end.sandbox}`]),
    shortId(call.call),
  ];
  // Recorded names must not control the terminal or add a line.
  return `${time.slice(0, 19).replace('T', ' ')}  ${status.padEnd(11)}  ${oneLine(summary(call))}  (${oneLine(facts.join(', '))})`;
}
