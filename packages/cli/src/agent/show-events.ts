import type { AgentEvent } from '@synapse/brain';
import type { Output } from '../output/output.ts';
import { inLine, visibleText } from '../output/visible-text.ts';

/** Prints the events of a run: the model's text on stdout, everything else on stderr. */
export class EventScreen {
  readonly #out: Output;
  readonly #err: Output;
  #openLine = false;

  constructor(out: Output, err: Output) {
    this.#out = out;
    this.#err = err;
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case 'session':
        return this.#line(`Session ${event.sessionId} · ${event.model}${event.resumed ? ' · resumed' : ''}`);
      case 'text':
        this.#err.show('');
        this.#out.write(this.#out.isTerminal ? visibleText(event.text) : event.text);
        this.#openLine = event.text === '' ? this.#openLine : !event.text.endsWith('\n');
        return;
      case 'call-start':
        this.#endLine();
        return this.#err.show(`… ${inLine(event.tool)}`);
      case 'call-progress':
        return this.#err.show(inLine(event.message ?? event.output?.trimEnd().split('\n').at(-1) ?? ''));
      case 'call-end':
        return this.#ended(event);
      case 'step':
        return this.#line(`Step ${event.index}/${event.total}  ${inLine(event.title)}`, 'bold');
      case 'retry':
        return this.#line(`${inLine(event.reason)} Retry ${event.attempt} in ${(event.waitMs / 1000).toFixed(1)} s.`, 'yellow');
      case 'note':
        return this.#line(event.text);
      case 'done':
        return this.#endLine();
      case 'reasoning':
      case 'usage':
      case 'approval-request':
      case 'approval-answer':
        return;
      default:
        return event satisfies never;
    }
  }

  #ended({ ok, summary, error, durationMs }: Extract<AgentEvent, { type: 'call-end' }>): void {
    const why = error === undefined ? '' : `: ${inLine(error.replace(/^Error: /u, ''))}`;
    this.#line(`${ok ? '✓' : '✗'} ${inLine(summary)}${why}  (${Math.round(durationMs)} ms)`, ok ? 'dim' : 'yellow');
  }

  #endLine(): void {
    if (this.#openLine) this.#out.write('\n');
    this.#openLine = false;
  }

  #line(text: string, style: 'dim' | 'yellow' | 'bold' = 'dim'): void {
    this.#endLine();
    this.#err.show('');
    this.#err.write(`${text}\n`, style);
  }
}
