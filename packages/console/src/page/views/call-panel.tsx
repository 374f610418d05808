import type { ConsoleCall, ConsoleCallDetail } from '@synapse/protocol/console';
import { Changes } from '../diff/diff.tsx';
import { hrefOf } from '../link/places.ts';
import { useRequest } from '../link/use-request.ts';
import { Badge, STATUS_TONES, VERDICT_TONES } from '../parts/badge.tsx';
import { Code } from '../parts/code.tsx';
import { clock, duration, size, visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';
import { Panel } from '../parts/panel.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { useStore } from '../state/store.ts';

function outputNote({ status }: ConsoleCall): string {
  return status === 'running'
    ? 'It runs. Output appears here when it says something.'
    : 'The output of this call is not here: it ended before this console was open, and the audit log holds no outputs.';
}

function Said({ said, call }: { readonly said: string | undefined; readonly call: ConsoleCallDetail['call'] }) {
  if (said !== undefined && said !== '') return <Code text={said} label="Output" />;
  return <p class="muted">{said === '' ? 'It said nothing.' : outputNote(call)}</p>;
}

function Detail({ detail }: { readonly detail: ConsoleCallDetail }) {
  const { call, input, output, error, rule, approver, answer, guard, resources, changes, changesNote, undo, process, mode } = detail;
  const progress = useStore((state) => state.progress)[call.id];
  const said = output ?? (call.status === 'running' ? progress : undefined);
  return (
    <>
      <Facts
        facts={[
          ['Duration', duration(call.ms)],
          ['Size', size(call.bytes)],
          ['Sandbox', call.sandbox],
          ['Step', call.step === undefined ? undefined : visible(call.step)],
          ['Session', call.session === undefined ? undefined : visible(call.session)],
          ['Started', clock(call.time)],
          ['Process', process],
          ['Mode', mode],
          ['Undo', undo],
        ]}
      />
      <Section title="Decision">
        <Facts
          facts={[
            ['Verdict', call.verdict === undefined ? 'not yet' : <Badge tone={VERDICT_TONES[call.verdict]}>{call.verdict}</Badge>],
            ['Rule', rule === undefined ? 'none was needed' : <code>{visible(rule)}</code>],
            ['Asked', approver],
            ['Answer', answer],
            ['Guard', guard],
          ]}
        />
        {resources.length > 0 && (
          <ul class="plain-list">
            {resources.map(({ action, resource }, index) => (
              <li key={index}>
                <span class="muted">{action}</span> <code>{visible(resource)}</code>
              </li>
            ))}
          </ul>
        )}
      </Section>
      {error !== undefined && (
        <Section title="Error">
          <Code text={error} label="Error" />
        </Section>
      )}
      <Section title="Input">
        <Code text={input} label="Input" />
      </Section>
      {(changes.length > 0 || changesNote !== undefined) && (
        <Section title="Changes" actions={<a href={hrefOf('changes', `call:${call.id}`)}>Undo …</a>}>
          <Changes changes={changes} />
          {changesNote !== undefined && <p class="muted">{changesNote}</p>}
        </Section>
      )}
      {(error === undefined || said !== undefined) && (
        <Section title="Output">
          <Said said={said} call={call} />
        </Section>
      )}
    </>
  );
}

/** A call in full. */
export function CallPanel({ id, row }: { readonly id: string; readonly row: ConsoleCall | undefined }) {
  const { value, error, reload } = useRequest('calls.get', { call: id }, row?.status);
  const call = value?.call ?? row;
  return (
    <Panel
      label="Call"
      view="calls"
      id={id}
      title={visible(call?.tool ?? 'Call')}
      badge={call !== undefined && <Badge tone={STATUS_TONES[call.status]}>{call.status}</Badge>}
    >
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value !== undefined && <Detail detail={value} />}
      <p class="muted id-line">
        <code>{visible(id)}</code>
      </p>
    </Panel>
  );
}
