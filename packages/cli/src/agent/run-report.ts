import type { AgentEvent, TodoItem } from '@synapse/brain';
import type { ToolCaller } from '@synapse/hands/providers';
import type { CommandIo } from '../command/command.ts';
import { plainLine } from '../output/styled-line.ts';
import type { LiveScreen } from '../screen/live-screen.ts';
import type { AgentPlace, RunOptions } from './agent-place.ts';
import { LiveEvents, todoLines } from './live-events.ts';
import { EventScreen } from './show-events.ts';
import { WatchedChanges } from './watched-changes.ts';

/** How a run is shown. */
export interface RunReport {
  /** The tools, watched where that is shown. */
  readonly tools: ToolCaller;
  show(event: AgentEvent): void;
  showTodos(items: readonly TodoItem[]): void;
}

interface ReportIo extends Pick<CommandIo, 'out' | 'err'> {
  readonly screen: LiveScreen | undefined;
}

/** Shows a run: as events for a program, as lines, or on a live screen. */
export function openReport({ json, jsonl, remote }: RunOptions, { out, err, screen }: ReportIo, place: AgentPlace): RunReport {
  const { tools } = place;
  if (jsonl) return { tools, show: (event) => out.write(`${JSON.stringify(event)}\n`), showTodos: () => undefined };
  if (json) return { tools, show: () => undefined, showTodos: () => undefined };
  if (screen === undefined) {
    const events = new EventScreen(out, err);
    const showTodos: RunReport['showTodos'] = (items) => {
      for (const line of todoLines(items)) err.write(`${plainLine(line)}\n`, 'dim');
    };
    return { tools, show: (event) => events.show(event), showTodos };
  }
  // What another machine changed is shown there.
  const watched = remote === undefined ? new WatchedChanges(place.hands, tools) : undefined;
  const events = new LiveEvents(screen, (callId) => watched?.take(callId) ?? []);
  return { tools: watched?.tools ?? tools, show: (event) => events.show(event), showTodos: (items) => events.showTodos(items) };
}
