import type { Truncation } from '@synapse/protocol';
import { shownSizes } from '../output/cut-text.ts';
import type { OutputCollector } from '../output/output-collector.ts';
import { condenseOutput } from '../output/runners/condense-output.ts';
import { count } from '../text/amounts.ts';
import { EscapeStripper, LineFolder } from '../text/terminal-text.ts';
import type { ToolContext } from '../tool/tool-context.ts';

/** Maximum size of an output that is read, in bytes: of a longer one, both ends and the errors are shown. */
const MAX_BYTES = 1024 * 1024;

/** The text of an output as a terminal shows it. */
function shownText(output: OutputCollector): string {
  const [decoder, stripper, folder] = [new TextDecoder(), new EscapeStripper(), new LineFolder()];
  let text = '';
  output.replay((bytes) => (text += folder.take(stripper.strip(decoder.decode(bytes, { stream: true })))));
  return text + folder.take(stripper.strip(decoder.decode())) + folder.finish();
}

/** What a model is shown of a command's output instead of all of it. */
export interface CondensedCommand {
  readonly content: string;
  /** @param spill the handle of the whole output, if it is stored already */
  readonly truncation: (spill: string | undefined) => Truncation;
}

/** Reads the output of test runners, compilers and linters; undefined if it is none, or short. The whole is stored. */
export function condenseCommand(
  output: OutputCollector,
  { workspace, collectOutput, keep }: Pick<ToolContext, 'workspace' | 'collectOutput' | 'keep'>,
): CondensedCommand | undefined {
  if (output.bytes > MAX_BYTES) return undefined;
  const whole = shownText(output);
  const condensed = condenseOutput(whole, workspace.root);
  if (condensed === undefined) return undefined;
  using fitting = collectOutput({ spill: false });
  fitting.writeText(condensed.text);
  const { text: content } = fitting.finish('ends');
  const total = shownSizes(whole);
  return {
    content,
    truncation: (stored) => {
      const spill = stored ?? keep(Buffer.from(whole));
      const next = `Of ${condensed.runners.join(', ')}: what failed, and totals, of ${count(total.lines, 'line')}. The whole output can be read or searched with path "${spill}".`;
      return { by: 'lines', shown: shownSizes(content), total, spill, next };
    },
  };
}
