import type { AgentEvent } from '@synapse/brain';
import type { Output } from '../output/output.ts';
import { inLine, visibleText } from '../output/visible-text.ts';
import { endText, progressText, retryText, sessionText } from './event-texts.ts';
import { TurnText } from './turn-text.ts';

/** Prints the events of a run: the model's text on stdout, everything else on stderr. */
export class EventScreen {
  readonly #out: Output;
  readonly #err: Output;
  #openLine = false;
  /** Another answer starts on a line of its own. */
  readonly #turn = new TurnText(() => (this.#openLine ? '\n' : ''));

  constructor(out: Output, err: Output) {
    this.#out = out;
    this.#err = err;
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case 'session':
        return this.#line(sessionText(event));
      case 'text':
        return this.#write(this.#turn.add(event.text));
      case 'call-start':
        this.#endLine();
        return this.#err.show(`… ${inLine(event.tool)}`);
      case 'call-progress':
        return this.#err.show(inLine(progressText(event)));
      case 'call-end':
        return this.#ended(event);
      case 'step':
        return this.#line(`Step ${event.index}/${event.total}  ${inLine(event.title)}`, 'bold');
      case 'retry':
        this.#turn.retry();
        // In a file the text goes on where it stopped.
        if (this.#out.isTerminal) this.#endLine();
        // Where both streams end in one place, the notice has a line of its own.
        if (!this.#out.isTerminal && this.#openLine) this.#err.write('\n');
        return this.#tell(retryText(event), 'yellow');
      case 'note':
        return this.#line(event.text);
      case 'done':
        return this.#endLine();
      case 'usage':
        return this.#turn.end();
      case 'reasoning':
      case 'approval-request':
      case 'approval-answer':
        return;
      default:
        return event satisfies never;
    }
  }

  #write(text: string): void {
    if (text === '') return;
    this.#err.show('');
    this.#out.write(this.#out.isTerminal ? visibleText(text) : text);
    this.#openLine = !text.endsWith('\n');
  }

  #ended(event: Extract<AgentEvent, { type: 'call-end' }>): void {
    const { text, style } = endText(event);
    this.#line(text, style);
  }

  #endLine(): void {
    if (this.#openLine) this.#out.write('\n');
    this.#openLine = false;
  }

  #line(text: string, style: 'dim' | 'yellow' | 'bold' = 'dim'): void {
    this.#endLine();
    this.#tell(text, style);
  }

  #tell(text: string, style: 'dim' | 'yellow' | 'bold'): void {
    this.#err.show('');
    this.#err.write(`${text}\n`, style);
  }
}
