import type { ConsoleJob } from '@synapse/protocol/console';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { line, type RequestError } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { Badge } from '../parts/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { Panel } from '../parts/panel.tsx';
import { useStore } from '../state/store.ts';

/** Maximum characters of output to keep in the page. */
const MAX_OUTPUT = 400_000;

/** Follows the output of a job until the component unmounts. */
function useOutput(id: string): { readonly text: string; readonly error: RequestError | undefined } {
  const [text, setText] = useState('');
  const [error, setError] = useState<RequestError>();
  const live = useStore((state) => state.link === 'live');
  const at = useRef(0);
  useEffect(() => {
    if (!live) return undefined;
    const controller = new AbortController();
    const follow = async (): Promise<void> => {
      while (!controller.signal.aborted) {
        const from = at.current;
        const part = await line.request('jobs.output', { id, from }, controller.signal);
        if (controller.signal.aborted) return;
        at.current = part.next;
        if (part.text !== '') setText((before) => (before + part.text).slice(-MAX_OUTPUT));
        if (part.ended && part.next >= part.end) return;
      }
    };
    follow().catch((thrown: RequestError) => controller.signal.aborted || setError(thrown));
    return () => controller.abort();
  }, [id, live]);
  return { text, error };
}

function Output({ text }: { readonly text: string }) {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  const onScroll = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
    atEnd.current = currentTarget.scrollTop + currentTarget.clientHeight >= currentTarget.scrollHeight - 20;
  };
  return (
    <pre ref={box} class="code terminal" role="log" tabIndex={0} aria-label="Output" onScroll={onScroll}>
      {text === '' ? 'No output yet.' : visible(text)}
    </pre>
  );
}

export function JobPanel({ job }: { readonly job: ConsoleJob }) {
  const { id, command, cwd, status, ending, sandbox } = job;
  const { text, error } = useOutput(id);
  const action = useAction();
  const [typed, setTyped] = useState('');
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    void action.run(async () => {
      const sent = await line.request('jobs.input', { id, text: typed });
      setTyped('');
      return sent;
    });
  };
  return (
    <Panel
      label="Job"
      view="jobs"
      id={id}
      title={id}
      badge={<Badge tone={status === 'running' ? 'busy' : 'plain'}>{status}</Badge>}
      bodyClass="panel-body job-body"
    >
      <p>
        <code>{visible(command)}</code>
      </p>
      <p class="muted">{[`in ${visible(cwd)}`, sandbox, ending].filter((part) => part !== undefined && part !== '').join(' · ')}</p>
      <Output text={text} />
      <Failure error={error ?? action.error} />
      {status !== 'ended' && (
        <>
          <form class="actions" onSubmit={send}>
            <label class="grow">
              <span class="visually-hidden">Input</span>
              <input
                type="text"
                class="mono"
                placeholder="Type a line for its input"
                value={typed}
                onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              />
            </label>
            <button type="submit" class="button" disabled={action.busy}>
              Send
            </button>
          </form>
          <div class="actions">
            <ConfirmButton
              text="Stop"
              question="Stop this job?"
              disabled={action.busy}
              onConfirm={() => void action.run(() => line.request('jobs.stop', { id }))}
            />
            {!job.detached && (
              <button type="button" class="button" disabled={action.busy} onClick={() => void action.run(() => line.request('jobs.detach', { id }))}>
                Let it outlive its session
              </button>
            )}
          </div>
        </>
      )}
    </Panel>
  );
}
