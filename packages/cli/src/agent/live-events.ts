import type { AgentEvent, TodoItem } from '@synapse/brain';
import type { Line } from '../output/styled-line.ts';
import type { Style } from '../output/output.ts';
import { diffLines, type ShownDiff } from '../screen/diff-lines.ts';
import type { LiveScreen } from '../screen/live-screen.ts';
import { callText, endText, progressText, retryText, sessionText } from './event-texts.ts';
import { TurnText } from './turn-text.ts';

const THINKS = 'Thinking';

const TODO_MARKS: Record<TodoItem['status'], { readonly mark: string; readonly styles: readonly Style[] }> = {
  done: { mark: '☑', styles: ['dim'] },
  in_progress: { mark: '▸', styles: ['bold'] },
  pending: { mark: '☐', styles: [] },
};

/** A todo list as lines. */
export function todoLines(items: readonly TodoItem[]): Line[] {
  return items.map(({ text, status }) => [{ text: `  ${TODO_MARKS[status].mark} ${text}`, styles: TODO_MARKS[status].styles }]);
}

/** Shows the events of runs on a live screen. */
export class LiveEvents {
  readonly #screen: LiveScreen;
  readonly #changes: (callId: string) => readonly ShownDiff[];
  readonly #turn = new TurnText();
  readonly #running = new Map<string, string>();
  #isTold = false;

  /** @param changes what a call changed */
  constructor(screen: LiveScreen, changes: (callId: string) => readonly ShownDiff[]) {
    this.#screen = screen;
    this.#changes = changes;
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case 'session':
        if (!this.#isTold) this.#print(sessionText(event));
        this.#isTold = true;
        return this.#screen.tell(THINKS);
      case 'text': {
        this.#screen.tell('Writing');
        const text = this.#turn.add(event.text);
        return text === '' ? undefined : this.#screen.say(text);
      }
      case 'reasoning':
        return this.#screen.tell(THINKS);
      case 'call-start':
        this.#screen.endText();
        this.#running.set(event.callId, callText(event));
        return this.#tellRunning();
      case 'call-progress':
        return this.#screen.tellFacts(progressText(event).slice(0, 200));
      case 'call-end':
        return this.#ended(event);
      case 'step':
        return this.#print(`Step ${event.index}/${event.total}  ${event.title}`, 'bold');
      case 'retry':
        this.#turn.retry();
        return this.#screen.printAbove([[{ text: retryText(event), styles: ['yellow'] }]]);
      case 'note':
        return this.#print(event.text);
      case 'usage':
        this.#turn.end();
        this.#screen.endText();
        return this.#tellSpent(event.total);
      case 'done':
        this.#turn.end();
        return this.#screen.endText();
      case 'approval-request':
      case 'approval-answer':
        return;
      default:
        return event satisfies never;
    }
  }

  /** Shows a list that changed. */
  showTodos(items: readonly TodoItem[]): void {
    this.#screen.print(todoLines(items));
  }

  #ended(event: Extract<AgentEvent, { type: 'call-end' }>): void {
    this.#running.delete(event.callId);
    const { style, text } = endText(event);
    this.#screen.print([[{ text, styles: [style] }], ...diffLines(this.#changes(event.callId), this.#screen.width)]);
    this.#screen.tellFacts('');
    this.#tellRunning();
  }

  #tellSpent({ inputTokens, outputTokens, costUsd = 0 }: Extract<AgentEvent, { type: 'usage' }>['total']): void {
    this.#screen.tellFacts(`${inputTokens + outputTokens} tokens${costUsd === 0 ? '' : ` · $${costUsd.toFixed(4)}`}`);
  }

  #tellRunning(): void {
    const running = [...this.#running.values()];
    const more = running.length - 1;
    this.#screen.tell(running[0] === undefined ? THINKS : `${running[0]}${more > 0 ? ` and ${more} more` : ''}`);
  }

  #print(text: string, style: Style = 'dim'): void {
    this.#screen.print([[{ text, styles: [style] }]]);
  }
}
