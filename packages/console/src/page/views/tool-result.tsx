import type { ConsoleToolResult } from '@synapse/protocol/console';
import { useEffect, useRef } from 'preact/hooks';
import { Changes } from '../diff/diff.tsx';
import { hrefOf } from '../link/places.ts';
import { Badge, VerdictBadge } from '../parts/badge.tsx';
import { Code } from '../parts/code.tsx';
import { count, duration, visible } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';

type DryRun = NonNullable<ConsoleToolResult['dryRun']>;

/** The effects of a dry run. */
function Effects({ dryRun: { verdict, rule, reason, effects, changes, more, omitted, cautions, blocked } }: { readonly dryRun: DryRun }) {
  return (
    <Section title="Effects">
      <p>
        <VerdictBadge verdict={verdict} /> <code>{visible(rule)}</code>
      </p>
      <p class="muted">{visible(reason)}</p>
      {effects.length > 0 && (
        <ul class="effects">
          {effects.map((effect) => (
            <li key={effect}>{visible(effect)}</li>
          ))}
        </ul>
      )}
      <Changes changes={changes} />
      {more > 0 && <p class="muted">{`and ${count(more, 'more change', 'more changes')}`}</p>}
      {[...cautions, ...omitted.map(({ path, reason: why }) => `Left out: ${path}: ${why}`)].map((text) => (
        <p key={text} class="muted">
          {visible(text)}
        </p>
      ))}
      {blocked !== undefined && <p class="note note-bad">{visible(blocked)}</p>}
    </Section>
  );
}

/** The result of a call that the user made. */
export function ToolResult({ result }: { readonly result: ConsoleToolResult }) {
  const { ok, summary, ms, output, images, code, sandbox, dryRun, changes, callId } = result;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // It is below the form, so it would not be seen.
    box.current?.scrollIntoView({ block: 'start' });
    box.current?.focus({ preventScroll: true });
  }, [callId]);
  return (
    <section ref={box} class="result" aria-label="Result" tabIndex={-1}>
      <p class="result-head">
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'ok' : (code ?? 'failed')}</Badge>
        <span class="strong">{visible(summary)}</span>
        <span class="muted">{[duration(ms), sandbox].filter((part) => part !== undefined).join(' · ')}</span>
        <a href={hrefOf('calls', callId)}>Open the call</a>
      </p>
      {dryRun !== undefined && <Effects dryRun={dryRun} />}
      {changes.length > 0 && (
        <Section title="Changes">
          <Changes changes={changes} />
        </Section>
      )}
      <Section title={ok ? 'Output' : 'Error'}>
        {output === '' ? <p class="muted">It said nothing.</p> : <Code text={output} label={ok ? 'Output' : 'Error'} />}
        {images > 0 && <p class="muted">{`${count(images, 'image')}, not shown here.`}</p>}
      </Section>
    </section>
  );
}
