import { argumentLine, commandEnd, type AuditedCall, type Defaults } from '@synapse/hands/internal';
import { beginning, width } from './columns.ts';
import { shortId } from './short-id.ts';
import { visibleText } from './visible-text.ts';

/** Characters of arguments in a line without a summary. */
const ARGUMENTS_WIDTH = 80;
/** Fewer cells of a summary say nothing: facts are left out for them first. */
const MIN_SUMMARY = 24;

/** How a line is shown. */
interface LineStyle {
  /** The width of the terminal, into which the line is cut; undefined for a whole line. */
  readonly columns?: number | undefined;
  /** The defaults of the tool's arguments, which are left out. */
  readonly defaults?: Defaults | undefined;
}

function summary(call: AuditedCall, defaults: Defaults | undefined): string {
  const { tool, status, start } = call;
  const end = commandEnd(call);
  if (end?.ok === true) return end.summary;
  // A failed call has no summary, so show its arguments.
  const text = argumentLine(start.arguments, defaults);
  return `${tool}(${text.length > ARGUMENTS_WIDTH ? `${text.slice(0, ARGUMENTS_WIDTH).toWellFormed()}…` : text}) → ${end?.code ?? status}`;
}

const oneLine = (text: string): string => visibleText(text).replaceAll('\n', '␊');

/** Shortens a summary in its middle: the outcome at the end says most. */
function fitted(text: string, room: number): string {
  if (width(text) <= room) return text;
  const arrow = text.lastIndexOf(' → ');
  const outcome = arrow === -1 ? '' : text.slice(arrow);
  const left = room - width(outcome) - 2;
  if (left < MIN_SUMMARY / 2) return `${beginning(text, room - 2)}…`;
  return `${beginning(text.slice(0, arrow === -1 ? undefined : arrow), left)}…${outcome}`;
}

/** A call as one line: time, summary, duration, step and session. */
export function callLine(call: AuditedCall, { columns, defaults }: LineStyle = {}): string {
  const { time, status, start } = call;
  const end = commandEnd(call);
  const facts = [
    ...(end === undefined ? [] : [`${end.duration_ms < 10 ? end.duration_ms.toFixed(1) : Math.round(end.duration_ms)} ms`]),
    ...(start.step === undefined ? [] : [start.step]),
    ...(start.session === undefined ? [] : [`session ${shortId(start.session)}`]),
    ...(start.dry_run === true ? ['dry run'] : []),
    ...(end?.applied_from === undefined ? [] : ['tried on a copy, then applied']),
    ...(end?.sandbox === undefined ? [] : [`sandbox ${end.sandbox}`]),
  ].map(oneLine);
  const id = oneLine(shortId(call.call));
  // Recorded names must not control the terminal or add a line.
  const about = oneLine(summary(call, defaults));
  const day = time.slice(0, 19).replace('T', ' ');
  if (columns === undefined) return `${day}  ${status.padEnd(11)}  ${about}  (${[...facts, id].join(', ')})`;
  // Without the year, and with as many facts as there is room for.
  const head = `${day.slice(5)}  ${status.padEnd(11)}  `;
  const room = (shown: readonly string[]): number => columns - width(head) - width(`  (${[...shown, id].join(', ')})`);
  const wanted = Math.min(width(about), Math.max(MIN_SUMMARY, room([])));
  const shown = [...facts];
  while (shown.length > 0 && room(shown) < wanted) shown.pop();
  return beginning(`${head}${fitted(about, Math.max(1, room(shown)))}  (${[...shown, id].join(', ')})`, columns);
}
